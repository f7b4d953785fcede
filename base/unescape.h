#ifndef TRUEUP_BASE_UNESCAPE_H
#define TRUEUP_BASE_UNESCAPE_H

#include <stdbool.h>

#include "base/slice.h"

/*
 * One character at the start of a text, however it is written there: what it stands for, 1 to UNESCAPE_MOST bytes in
 * ret, and how much of the text it takes; 0 where there is none. What is no escape stands for its first byte.
 */
enum { UNESCAPE_MOST = 4 };

struct unescaped {
	char bytes[UNESCAPE_MOST];
	size_t count;
};

typedef size_t unescape(struct slice text, struct unescaped *ret);

unescape unescape_none;
/* References of XML and HTML: the five that have names, and numbers (XML 1.0, section 4.1). */
unescape unescape_xml;
/* Behind a backslash, surrogates in pairs (RFC 8259, section 7); an apostrophe too, as other languages have it. */
unescape unescape_json;
/* Two hexadecimal digits behind a percent sign (RFC 3986, section 2.1); of a form a plus sign is a blank besides. */
unescape unescape_url;
unescape unescape_form;
/* A digit of base64, of either alphabet (RFC 4648), in that for texts: behind any ends of lines, and what the next
 * lines are indented by, and with the escapes of JSON, XML and URLs. What is no digit is none. */
unescape unescape_base64;

/* '\0': the byte is no digit of base64; else that of the alphabet for texts. A blank is a plus sign that was taken for
 * one of a form. */
char unescape_base64_digit(char byte);
/* Whether the text begins with what ends a line within base64. */
bool unescape_base64_breaks(struct slice text);

#endif
