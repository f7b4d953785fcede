#include "providers/net/curl_fault.h"

#include <stddef.h>

#define CHECK_ENDPOINT                                                                                                 \
	"check the spelling of the endpoint, or of the region that it is named after, the name server and the network"
#define CHECK_SERVICE "check the endpoint and its port: what answers there is not the service that is meant"
#define CHECK_PROXY                                                                                                    \
	"check https_proxy (or http_proxy, all_proxy): it is written http://USER:PASSWORD@HOST:PORT, and a '/', '#', " \
	"'@', ':' or space of a password as %2F, %23, %40, %3A or %20"
#define CHECK_CERTIFICATE                                                                                              \
	"check the endpoint's name, this machine's clock, and that its CA bundle (package ca-certificates) has who "   \
	"signed the certificate"
#define CHECK_BUNDLE                                                                                                   \
	"check the file that AWS_CA_BUNDLE names, or 'ca_file' of the provider; where neither names one, install the " \
	"package ca-certificates"

/* https://curl.se/libcurl/c/libcurl-errors.html */
static const struct curl_fault faults[] = {
	{CURLE_URL_MALFORMAT, FAULT_USER, "cannot form a request to", ""},
	/* Also of a name server that is out of order for a moment, which libcurl does not tell apart. */
	{CURLE_COULDNT_RESOLVE_HOST, FAULT_TRANSIENT, "cannot find the address of", CHECK_ENDPOINT},
	{CURLE_COULDNT_RESOLVE_PROXY, FAULT_TRANSIENT, "cannot find the address of the proxy to", CHECK_PROXY},
	{CURLE_COULDNT_CONNECT, FAULT_TRANSIENT, "cannot connect to", ""},
	{CURLE_PROXY, FAULT_TRANSIENT, "the proxy did not connect to", ""},
	{CURLE_INTERFACE_FAILED, FAULT_TRANSIENT, "cannot connect to", ""},

	{CURLE_PEER_FAILED_VERIFICATION, FAULT_AUTH, "cannot verify the certificate of", CHECK_CERTIFICATE},
	{CURLE_SSL_ISSUER_ERROR, FAULT_AUTH, "cannot verify the certificate of", CHECK_CERTIFICATE},
	{CURLE_SSL_INVALIDCERTSTATUS, FAULT_AUTH, "cannot verify the certificate of", CHECK_CERTIFICATE},
	{CURLE_SSL_PINNEDPUBKEYNOTMATCH, FAULT_AUTH, "cannot verify the certificate of", CHECK_CERTIFICATE},
	{CURLE_SSL_CLIENTCERT, FAULT_AUTH, "a client certificate is asked for by", ""},
	{CURLE_SSL_CACERT_BADFILE, FAULT_USER, "cannot read the certificate bundle for", CHECK_BUNDLE},
	{CURLE_SSL_CRL_BADFILE, FAULT_USER, "cannot read the revocation list for", ""},
	/* Also a reset under load: what is permanent here fails again soon enough. */
	{CURLE_SSL_CONNECT_ERROR, FAULT_TRANSIENT, "cannot start TLS with", ""},

	{CURLE_OPERATION_TIMEDOUT, FAULT_TRANSIENT, "no answer in time from", ""},
	{CURLE_SEND_ERROR, FAULT_TRANSIENT, "cannot send to", ""},
	{CURLE_RECV_ERROR, FAULT_TRANSIENT, "no complete answer from", ""},
	{CURLE_GOT_NOTHING, FAULT_TRANSIENT, "no answer from", ""},
	{CURLE_PARTIAL_FILE, FAULT_TRANSIENT, "no complete answer from", ""},
	{CURLE_HTTP2, FAULT_TRANSIENT, "no complete answer from", ""},
	{CURLE_HTTP2_STREAM, FAULT_TRANSIENT, "no complete answer from", ""},
	{CURLE_SEND_FAIL_REWIND, FAULT_TRANSIENT, "the connection ended before an answer came from", ""},
	{CURLE_ABORTED_BY_CALLBACK, FAULT_TRANSIENT, "the connection ended before an answer came from", ""},

	{CURLE_FAILED_INIT, FAULT_INTERNAL, "cannot send anything to", ""},
	{CURLE_UNSUPPORTED_PROTOCOL, FAULT_INTERNAL, "no HTTP answer from", CHECK_SERVICE},
	{CURLE_WEIRD_SERVER_REPLY, FAULT_INTERNAL, "no HTTP answer from", CHECK_SERVICE},
	{CURLE_BAD_CONTENT_ENCODING, FAULT_INTERNAL, "cannot unpack the answer from", ""},
	{CURLE_FILESIZE_EXCEEDED, FAULT_INTERNAL, "too large an answer from", CHECK_SERVICE},
	/* Of a header without end, too: libcurl stops at 100 KB of one. */
	{CURLE_OUT_OF_MEMORY, FAULT_INTERNAL, "no memory, or too long a header, for the answer from", CHECK_SERVICE},
};

/* What is tried again and again with a wrong password locks its owner out (RFC 9110, 15.5.4 and 15.5.8). */
static const struct {
	long status;
	struct curl_fault fault;
} proxy_faults[] = {
	{403,
	 {CURLE_OK, FAULT_USER, "the proxy lets nobody through to", "ask whoever runs the proxy to let it through"}},
	{407, {CURLE_OK, FAULT_AUTH, "the proxy wants another user and password to connect to", CHECK_PROXY}},
};

const struct curl_fault curl_fault_proxy_url = {CURLE_OK, FAULT_USER, "cannot read the URL of the proxy to",
						CHECK_PROXY};

static const struct curl_fault unknown_fault = {CURLE_OK, FAULT_TRANSIENT, "the exchange failed with", ""};

const struct curl_fault *curl_fault_of(CURLcode code)
{
	for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
		if (faults[i].code == code)
			return &faults[i];
	return &unknown_fault;
}

const struct curl_fault *curl_fault_of_proxy(long status)
{
	for (size_t i = 0; i < sizeof proxy_faults / sizeof proxy_faults[0]; i++)
		if (proxy_faults[i].status == status)
			return &proxy_faults[i].fault;
	return NULL;
}
