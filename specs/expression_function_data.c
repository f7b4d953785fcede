#include "specs/expression_function.h"

#include "base/base64.h"
#include "base/digest.h"
#include "base/json.h"

bool function_json_encode(const struct call *call, struct value *ret)
{
	static const struct json_style clear = {.clear = true};
	BUFFER_AUTO buffer = {0};

	buffer_init(&buffer, FUNCTION_LONGEST_BYTES);
	if (!json_write(&buffer, argument(call, 0), &clear))
		buffer.full = true;
	return call_text(call, &buffer, ret);
}

bool function_json_decode(const struct call *call, struct value *ret)
{
	struct diagnostics found;
	struct value value;
	bool readable;

	diagnostics_init(&found, call->arena);
	readable = json_read(call->arena, value_slice(argument(call, 0)), false, FUNCTION_LONGEST_BYTES, "the text",
			     &value, &found);
	if (!readable) {
		diag_error(call->diagnostics, FAULT_USER, argument_position(call, 0), "the text is no JSON");
		/* The message may repeat parts of the text. */
		if (found.count > 0 && !call->arguments[0]->secret)
			diag_cause(call->diagnostics, found.items[0].message);
	}
	diagnostics_release(&found);
	if (!readable)
		return false;
	*ret = value;
	return true;
}

bool function_base64_encode(const struct call *call, struct value *ret)
{
	struct slice text = base64_encode(call->arena, value_slice(argument(call, 0)));

	if (text.size > FUNCTION_LONGEST_BYTES)
		return diag_error(call->diagnostics, FAULT_USER, call->position,
				  "the string that 'base64_encode' makes would be longer than %d bytes",
				  FUNCTION_LONGEST_BYTES);
	*ret = value_string(text);
	return true;
}

bool function_base64_decode(const struct call *call, struct value *ret)
{
	struct slice text;

	if (!base64_decode(call->arena, value_slice(argument(call, 0)), &text))
		return diag_error(call->diagnostics, FAULT_USER, argument_position(call, 0), "the text is no Base64");
	if (!call_is_text(call, text, "what the Base64 stands for"))
		return false;
	*ret = value_string(text);
	return true;
}

bool function_sha256(const struct call *call, struct value *ret)
{
	struct digest digest = digest_of(value_slice(argument(call, 0)));

	*ret = value_string(digest_text(call->arena, &digest));
	return true;
}
