#include "base/seal.h"

#include <openssl/evp.h>
#include <stdlib.h>

#include "base/base64.h"
#include "base/digest.h"
#include "base/hex.h"
#include "base/memory.h"

enum { BASE64_DIGITS = 44 };

static bool read_hex(struct slice text, struct seal_key *ret)
{
	for (size_t i = 0; i < SEAL_KEY_BYTES; i++) {
		int high = hex_digit(text.data[2 * i]), low = hex_digit(text.data[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		ret->bytes[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

static bool read_base64(struct slice text, struct seal_key *ret)
{
	struct arena arena;
	struct slice bytes = {NULL, 0};
	bool good;

	arena_init(&arena);
	good = base64_decode(&arena, text, &bytes) && bytes.size == SEAL_KEY_BYTES;
	if (good)
		memcpy(ret->bytes, bytes.data, SEAL_KEY_BYTES);
	arena_wipe(&arena);
	return good;
}

bool seal_key_read(struct slice text, struct seal_key *ret)
{
	struct seal_key key = {{0}};
	bool good = false;

	text = slice_trim(text);
	if (text.size == 2 * (size_t)SEAL_KEY_BYTES)
		good = read_hex(text, &key);
	else if (text.size == BASE64_DIGITS)
		good = read_base64(text, &key);
	if (good)
		*ret = key;
	seal_key_wipe(&key);
	return good;
}

void seal_key_write(const struct seal_key *key, char ret[2 * SEAL_KEY_BYTES + 1])
{
	struct digest as_digest;

	_Static_assert((int)SEAL_KEY_BYTES == (int)DIGEST_BYTES, "a key is written as a digest is");
	memcpy(as_digest.bytes, key->bytes, SEAL_KEY_BYTES);
	digest_hex(&as_digest, ret);
	memory_wipe(&as_digest, sizeof(as_digest));
}

void seal_key_id(const struct seal_key *key, char ret[SEAL_KEY_ID_HEX + 1])
{
	struct digest digest =
		digest_keyed((struct slice){(const char *)key->bytes, SEAL_KEY_BYTES}, SLICE("trueup sealing key id"));
	char hex[DIGEST_HEX + 1];

	digest_hex(&digest, hex);
	memcpy(ret, hex, SEAL_KEY_ID_HEX);
	ret[SEAL_KEY_ID_HEX] = '\0';
}

void seal_key_wipe(struct seal_key *key)
{
	memory_wipe(key, sizeof(*key));
}

static void wipe_context(EVP_CIPHER_CTX **context)
{
	/* Wipes the key schedule too (EVP_CIPHER_CTX_free(3)). */
	EVP_CIPHER_CTX_free(*context);
}

/* Only for want of memory, or by a broken OpenSSL: nothing may rest unsealed then. */
__attribute__((noreturn, cold)) static void give_up(void)
{
	memory_exhausted("OpenSSL gives no AES-256-GCM: out of memory, or its default provider is missing");
}

static EVP_CIPHER_CTX *new_context(void)
{
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();

	if (!context)
		give_up();
	return context;
}

struct slice seal_text(struct arena *arena, const struct seal_key *key, const uint8_t *nonce, struct slice place,
		       struct slice text)
{
	__attribute__((cleanup(wipe_context))) EVP_CIPHER_CTX *context = new_context();
	uint8_t *bytes = (uint8_t *)arena_array(arena, SEAL_NONCE_BYTES + text.size + SEAL_TAG_BYTES, 1);
	uint8_t *body = bytes + SEAL_NONCE_BYTES;
	int size = 0, rest = 0;

	if (text.size > SEAL_LARGEST_BYTES || place.size > SEAL_LARGEST_BYTES)
		abort();
	memcpy(bytes, nonce, SEAL_NONCE_BYTES);
	if (EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), NULL, key->bytes, nonce) != 1 ||
	    EVP_EncryptUpdate(context, NULL, &rest, (const uint8_t *)place.data, (int)place.size) != 1 ||
	    (text.size > 0 &&
	     EVP_EncryptUpdate(context, body, &size, (const uint8_t *)text.data, (int)text.size) != 1) ||
	    EVP_EncryptFinal_ex(context, body + size, &rest) != 1 ||
	    EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, SEAL_TAG_BYTES, body + text.size) != 1)
		give_up();
	return base64_encode(arena, (struct slice){(const char *)bytes, SEAL_NONCE_BYTES + text.size + SEAL_TAG_BYTES});
}

static bool decrypt(EVP_CIPHER_CTX *context, const struct seal_key *key, struct slice place, const uint8_t *bytes,
		    size_t body_size, uint8_t *text)
{
	const uint8_t *body = bytes + SEAL_NONCE_BYTES;
	uint8_t tag[SEAL_TAG_BYTES];
	int size = 0, rest = 0;

	memcpy(tag, body + body_size, SEAL_TAG_BYTES);
	return EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), NULL, key->bytes, bytes) == 1 &&
	       EVP_DecryptUpdate(context, NULL, &rest, (const uint8_t *)place.data, (int)place.size) == 1 &&
	       (body_size == 0 || EVP_DecryptUpdate(context, text, &size, body, (int)body_size) == 1) &&
	       EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, SEAL_TAG_BYTES, tag) == 1 &&
	       EVP_DecryptFinal_ex(context, text + size, &rest) == 1;
}

bool seal_open(struct arena *arena, const struct seal_key *key, struct slice place, struct slice sealed,
	       struct slice *ret)
{
	__attribute__((cleanup(wipe_context))) EVP_CIPHER_CTX *context = new_context();
	enum { AROUND = SEAL_NONCE_BYTES + SEAL_TAG_BYTES };
	struct slice bytes;
	uint8_t *text;

	if (!base64_decode(arena, sealed, &bytes) || bytes.size < AROUND || bytes.size > SEAL_LARGEST_BYTES + AROUND ||
	    place.size > SEAL_LARGEST_BYTES)
		return false;
	text = (uint8_t *)arena_array(arena, bytes.size - AROUND + 1, 1);
	if (!decrypt(context, key, place, (const uint8_t *)bytes.data, bytes.size - AROUND, text)) {
		memory_wipe(text, bytes.size - AROUND);
		return false;
	}
	*ret = (struct slice){(const char *)text, bytes.size - AROUND};
	return true;
}
