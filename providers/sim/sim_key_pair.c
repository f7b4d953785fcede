#include <openssl/evp.h>
#include <stdio.h>

#include "base/base64.h"
#include "base/digest.h"
#include "providers/sim/sim_parts.h"

/* Key pairs, imported ones and those made here; of the latter the keys are no keys, only alike in form. */

enum {
	SEQUENCE = 0x30,
	BIT_STRING = 0x03,
	INTEGER = 0x02,
};

static void key(const struct sim_object *pair, char ret[512])
{
	(void)snprintf(ret, 512, "%.*s", SLICE_ARGUMENTS(node_text(&pair->body, "keyName")));
}

const struct sim_type sim_key_pair_type = {
	.number = SIM_KEY_PAIR,
	.name = "key-pair",
	.prefix = "key",
	.id_name = "keyPairId",
	.key = key,
	.absent_code = "InvalidKeyPair.NotFound",
	.absent_message = "The key pair '%s' does not exist",
};

/* An element of DER (X.690) around content. */
static struct slice der(struct arena *arena, int tag, struct slice content)
{
	char *bytes = arena_get(arena, content.size + 4);
	size_t at = 0;

	bytes[at++] = (char)tag;
	if (content.size >= 256) {
		bytes[at++] = (char)0x82;
		bytes[at++] = (char)(content.size >> 8);
	} else if (content.size >= 128) {
		bytes[at++] = (char)0x81;
	}
	bytes[at++] = (char)content.size;
	if (content.size > 0)
		memcpy(bytes + at, content.data, content.size);
	return (struct slice){bytes, at + content.size};
}

static struct slice join(struct arena *arena, struct slice a, struct slice b)
{
	char *bytes = arena_get(arena, a.size + b.size + 1);

	memcpy(bytes, a.data, a.size);
	memcpy(bytes + a.size, b.data, b.size);
	return (struct slice){bytes, a.size + b.size};
}

/* A string of the SSH wire format (RFC 4251), cut off the front of blob. */
static bool take_string(struct slice *blob, struct slice *ret)
{
	size_t size = 0;

	if (blob->size < 4)
		return false;
	for (size_t i = 0; i < 4; i++)
		size = size << 8 | (unsigned char)blob->data[i];
	if (size > blob->size - 4)
		return false;
	*ret = (struct slice){blob->data + 4, size};
	*blob = slice_from(*blob, size + 4);
	return true;
}

static struct slice colon_md5(struct arena *arena, struct slice bytes)
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	char text[EVP_MAX_MD_SIZE * 3 + 1];
	unsigned int size = 0;

	if (EVP_Digest(bytes.data, bytes.size, digest, &size, EVP_md5(), NULL) != 1)
		size = 0;
	for (unsigned int i = 0; i < size; i++)
		(void)snprintf(text + (size_t)i * 3, 4, "%02x%s", digest[i], i + 1 < size ? ":" : "");
	return arena_copy(arena, (struct slice){text, size > 0 ? (size_t)size * 3 - 1 : 0});
}

/* For RSA the MD5 of the key in DER, for Ed25519 the SHA-256 of the blob (page "Determine the fingerprint"). */
static bool fingerprint(struct arena *arena, struct slice blob, struct slice *ret_type, struct slice *ret)
{
	/* SEQUENCE { OBJECT rsaEncryption, NULL } */
	static const char rsa[] = "\x30\x0d\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05";
	struct slice rest = blob, type, exponent, modulus;
	struct digest digest;

	if (!take_string(&rest, &type))
		return false;
	if (slice_is(type, "ssh-ed25519")) {
		digest = digest_of(blob);
		*ret_type = SLICE("ed25519");
		*ret = base64_encode(arena, (struct slice){(const char *)digest.bytes, DIGEST_BYTES});
		return true;
	}
	if (!slice_is(type, "ssh-rsa") || !take_string(&rest, &exponent) || !take_string(&rest, &modulus))
		return false;
	struct slice numbers = join(arena, der(arena, INTEGER, modulus), der(arena, INTEGER, exponent));
	struct slice bits = join(arena, (struct slice){"\0", 1}, der(arena, SEQUENCE, numbers));
	struct slice inner = join(arena, (struct slice){rsa, sizeof(rsa)}, der(arena, BIT_STRING, bits));
	*ret_type = SLICE("rsa");
	*ret = colon_md5(arena, der(arena, SEQUENCE, inner));
	return true;
}

struct public_key {
	struct slice type, fingerprint, line;
};

/* "ssh-rsa BASE64 comment"; the API's answers have the pair's name for a comment. */
static bool read_key(struct sim_call *call, struct public_key *ret)
{
	struct slice text, blob, rest;

	if (base64_decode(call->arena, sim_text(call, "PublicKeyMaterial"), &text)) {
		rest = slice_trim(text);
		struct slice word = slice_cut(&rest, ' '), body = slice_cut(&rest, ' ');

		if (base64_decode(call->arena, body, &blob) && blob.size > 0 &&
		    fingerprint(call->arena, blob, &ret->type, &ret->fingerprint)) {
			ret->line = arena_format(call->arena, "%.*s %.*s %.*s", SLICE_ARGUMENTS(word),
						 SLICE_ARGUMENTS(body), SLICE_ARGUMENTS(sim_text(call, "KeyName")));
			return true;
		}
	}
	sim_fail(call, "InvalidKey.Format", "Key is not in valid OpenSSH public key format");
	return false;
}

static bool valid_name(struct sim_call *call, struct slice name)
{
	bool valid = name.size > 0 && name.size <= 255 && slice_equal(slice_trim(name), name);

	for (size_t i = 0; valid && i < name.size; i++)
		valid = name.data[i] >= ' ' && name.data[i] < 127;
	if (!valid)
		sim_fail(call, "InvalidParameterValue",
			 "Invalid value '%.*s' for keyPairNames. It should be 1 to 255 ASCII "
			 "characters without leading or trailing spaces",
			 SLICE_ARGUMENTS(name));
	return valid;
}

/* NULL where the call has failed. */
static struct sim_object *begin_pair(struct sim_call *call, struct slice name)
{
	char made[32];

	if (sim_find_key(call->region, SIM_KEY_PAIR, name))
		sim_fail(call, "InvalidKeyPair.Duplicate", "The keypair already exists");
	if (call->failed ||
	    !sim_within_quota(call, SIM_KEY_PAIR, SIM_SETTING_KEY_PAIRS, "KeyPairLimitExceeded", "key pairs"))
		return NULL;
	struct sim_object *pair = sim_create(call->sim, call->region, SIM_KEY_PAIR, (struct slice){NULL, 0});
	node_put(&pair->body, "keyName", name);
	sim_time_text(call->sim->now_ms, made);
	node_set(&pair->body, "createTime", made);
	sim_tag_new(call, "key-pair", pair);
	return pair;
}

static void end_pair(struct sim_call *call, struct sim_object *pair, const struct public_key *public_key)
{
	struct node *body = &pair->body;

	node_put(body, "keyType", public_key->type);
	node_put(body, "keyFingerprint", public_key->fingerprint);
	node_put(body, "_publicKey", public_key->line);
	sim_out_text(call, "keyPairId", pair->id);
	sim_out_text(call, "keyName", node_text(body, "keyName"));
	sim_out_text(call, "keyFingerprint", public_key->fingerprint);
	sim_out_node(call, "tagSet", node_get(body, "tagSet"));
}

static void import_key_pair(struct sim_call *call)
{
	struct slice name = sim_text(call, "KeyName");
	struct public_key public_key;

	sim_tag_new(call, "key-pair", NULL);
	if (!valid_name(call, name) || !read_key(call, &public_key))
		return;
	struct sim_object *pair = begin_pair(call, name);
	if (pair)
		end_pair(call, pair, &public_key);
}

/* 32 bytes that no other pair has. */
static struct slice key_bytes(struct sim_call *call, const char *what, const struct sim_object *pair)
{
	struct digest digest = digest_of(arena_format(call->arena, "%s %.*s", what, SLICE_ARGUMENTS(pair->id)));

	return arena_copy(call->arena, (struct slice){(const char *)digest.bytes, DIGEST_BYTES});
}

static void create_key_pair(struct sim_call *call)
{
	static const char before[] = "\0\0\0\x0bssh-ed25519\0\0\0\x20";
	struct slice name = sim_text(call, "KeyName");
	struct public_key public_key = {.type = SLICE("ed25519")};

	sim_tag_new(call, "key-pair", NULL);
	if (!valid_name(call, name))
		return;
	if (!slice_is(sim_text(call, "KeyType"), "ed25519"))
		sim_fail(call, "UnsupportedOperation", "The simulation makes only keys of type ed25519");
	struct sim_object *pair = begin_pair(call, name);
	if (!pair)
		return;
	struct slice blob =
		join(call->arena, (struct slice){before, sizeof(before) - 1}, key_bytes(call, "public", pair));
	struct slice secret = base64_encode(call->arena, key_bytes(call, "private", pair));
	(void)fingerprint(call->arena, blob, &public_key.type, &public_key.fingerprint);
	public_key.line = arena_format(call->arena, "ssh-ed25519 %.*s %.*s",
				       SLICE_ARGUMENTS(base64_encode(call->arena, blob)), SLICE_ARGUMENTS(name));
	end_pair(call, pair, &public_key);
	sim_out_text(call, "keyMaterial",
		     arena_format(call->arena,
				  "-----BEGIN OPENSSH PRIVATE KEY-----\n%.*s\n-----END OPENSSH PRIVATE KEY-----",
				  SLICE_ARGUMENTS(secret)));
}

/* Deleting a pair that is not there succeeds. */
static void delete_key_pair(struct sim_call *call)
{
	struct sim_object *pair;

	if (sim_given(call, "KeyPairId"))
		pair = sim_find(call->region, SIM_KEY_PAIR, sim_text(call, "KeyPairId"));
	else
		pair = sim_find_key(call->region, SIM_KEY_PAIR, sim_text(call, "KeyName"));
	if (!sim_given(call, "KeyPairId") && !sim_given(call, "KeyName")) {
		sim_fail(call, "MissingParameter", "The request must contain the parameter KeyName or KeyPairId");
		return;
	}
	sim_out_return(call);
	if (!pair)
		return;
	sim_out_text(call, "keyPairId", pair->id);
	sim_delete(call->sim, pair);
}

static void write(struct sim_call *call, const struct sim_object *pair, const struct node *body)
{
	(void)pair;
	sim_out_members(call, body);
	if (sim_flag(call, "IncludePublicKey", false))
		sim_out_text(call, "publicKey", node_text(body, "_publicKey"));
}

static const struct sim_filter filters[] = {
	{"key-pair-id", "keyPairId", NULL},
	{"key-name", "keyName", NULL},
	{"fingerprint", "keyFingerprint", NULL},
};

static const struct sim_listing listing = {
	.type = SIM_KEY_PAIR,
	.set = "keySet",
	.ids = "KeyPairId",
	.keys = "KeyName",
	.filters = filters,
	.filter_count = sizeof(filters) / sizeof(filters[0]),
	.write = write,
	.absent_key_code = "InvalidKeyPair.NotFound",
	.absent_key_message = "The key pair '%s' does not exist",
};

static const struct sim_action actions[] = {
	{"ImportKeyPair", import_key_pair,
	 "KeyName! PublicKeyMaterial! TagSpecification[]{ResourceType Tag[]{Key Value}}", NULL},
	{"CreateKeyPair", create_key_pair,
	 "KeyName! KeyType KeyFormat TagSpecification[]{ResourceType Tag[]{Key Value}}", NULL},
	{"DescribeKeyPairs", sim_describe, "Filter[]{Name Value[]} KeyName[] KeyPairId[] IncludePublicKey:b", &listing},
	{"DeleteKeyPair", delete_key_pair, "KeyName KeyPairId", NULL},
};

const struct sim_family sim_key_pair_family = {SIM_EC2, actions, sizeof(actions) / sizeof(actions[0])};
