#include "base/digest.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <stdlib.h>
#include <threads.h>

#include "base/hex.h"
#include "base/memory.h"

_Static_assert((int)DIGEST_HEX == 2 * (int)DIGEST_BYTES, "two digits a byte");

static EVP_MD *fetched;
static tss_t contexts; /* of each thread, or NULL: what digest_of() works in */

/* Nothing here can fail for SHA-256 but by want of memory or a broken OpenSSL: nothing may go on without it. */
__attribute__((noreturn, cold)) static void give_up(void)
{
	memory_exhausted("OpenSSL gives no SHA-256: out of memory, or its default provider is missing");
}

static void *openssl_get(size_t size_bytes, const char *file, int line)
{
	(void)file;
	(void)line;
	return size_bytes > 0 ? memory_raw(size_bytes) : NULL;
}

static void *openssl_resize(void *old, size_t size_bytes, const char *file, int line)
{
	(void)file;
	(void)line;
	if (size_bytes > 0)
		return memory_resize(old, size_bytes);
	free(old);
	return NULL;
}

static void openssl_free(void *bytes, const char *file, int line)
{
	(void)file;
	(void)line;
	free(bytes);
}

static void context_free(void *context)
{
	EVP_MD_CTX_free((EVP_MD_CTX *)context);
}

/*
 * While OpenSSL 3.0 sets itself up it does not survive an allocation that fails, so it gets its
 * memory from us. Where it has some already it refuses, and goes on as it began.
 */
static void fetch(void)
{
	(void)CRYPTO_set_mem_functions(openssl_get, openssl_resize, openssl_free);
	fetched = EVP_MD_fetch(NULL, "SHA256", NULL);
	if (!fetched || tss_create(&contexts, context_free) != thrd_success)
		give_up();
}

/*
 * EVP_sha256() is looked up among the providers anew in every digest, which takes longer than
 * to digest a resource; what EVP_MD_fetch() gives is looked up once (crypto(7), "Performance").
 */
static const EVP_MD *sha256(void)
{
	static once_flag once = ONCE_FLAG_INIT;

	call_once(&once, fetch);
	return fetched;
}

/* The thread's own, kept from call to call: EVP_Digest() makes and frees one in each. */
static EVP_MD_CTX *own_context(void)
{
	EVP_MD_CTX *context = (EVP_MD_CTX *)tss_get(contexts);

	if (context)
		return context;
	context = EVP_MD_CTX_new();
	if (!context || tss_set(contexts, context) != thrd_success)
		give_up();
	return context;
}

struct digest digest_of(struct slice text)
{
	const EVP_MD *algorithm = sha256(); /* contexts is there by then */
	EVP_MD_CTX *context = own_context();
	struct digest digest;

	if (EVP_DigestInit_ex2(context, algorithm, NULL) != 1 || EVP_DigestUpdate(context, text.data, text.size) != 1 ||
	    EVP_DigestFinal_ex(context, digest.bytes, NULL) != 1)
		give_up();
	return digest;
}

/* An HMAC by SHA-256 that has no key yet: to look both up in every call takes longer than to compute it. */
static EVP_MAC_CTX *keyless;

static void make_keyless(void)
{
	char name[] = "SHA256";
	const OSSL_PARAM digest[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name, 0),
				     OSSL_PARAM_construct_end()};

	(void)sha256(); /* OpenSSL is set up by then */
	EVP_MAC *hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
	keyless = hmac ? EVP_MAC_CTX_new(hmac) : NULL;
	if (!keyless || EVP_MAC_CTX_set_params(keyless, digest) != 1)
		give_up();
	EVP_MAC_free(hmac);
}

struct digest digest_keyed(struct slice key, struct slice text)
{
	static once_flag once = ONCE_FLAG_INIT;
	struct digest digest;
	size_t size = 0;

	call_once(&once, make_keyless);
	EVP_MAC_CTX *context = EVP_MAC_CTX_dup(keyless);
	const unsigned char *bytes = (const unsigned char *)(key.size > 0 ? key.data : "");
	if (!context || EVP_MAC_init(context, bytes, key.size, NULL) != 1 ||
	    (text.size > 0 && EVP_MAC_update(context, (const unsigned char *)text.data, text.size) != 1) ||
	    EVP_MAC_final(context, digest.bytes, &size, sizeof(digest.bytes)) != 1)
		give_up();
	EVP_MAC_CTX_free(context);
	return digest;
}

bool digest_equal(const struct digest *a, const struct digest *b)
{
	/* In constant time: a keyed digest may prove who sent something. */
	return CRYPTO_memcmp(a->bytes, b->bytes, DIGEST_BYTES) == 0;
}

void digest_hex(const struct digest *digest, char ret[DIGEST_HEX + 1])
{
	hex_write(digest->bytes, DIGEST_BYTES, ret);
	ret[DIGEST_HEX] = '\0';
}

struct slice digest_text(struct arena *arena, const struct digest *digest)
{
	return hex_encode(arena, (struct slice){(const char *)digest->bytes, DIGEST_BYTES});
}

bool digest_read(struct slice text, struct digest *ret)
{
	return hex_read(text, ret->bytes, DIGEST_BYTES);
}
