#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "tests/unit/support_load.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))
#define A "=== a.yaml\nstack: s\n"

/* Folders and files that cannot be read at all. */
static void test_unreadable(void **state)
{
	static char zeros[8192];
	static const struct {
		const char *name, *files, *unreadable, *expected;
		size_t size; /* of the first file; 0: as it is */
	} file_rows[] = {
		{"no spec", "=== note.txt\nx\n=== .a.yaml\nx\n", NULL,
		 "there is no spec in 'specs' (put a file such as stack.yaml there, or name another folder with -C)\n",
		 0},
		{"none but for its letters", "=== A.YAML\nx\n=== b.Yml\nx\n=== c.yaml~\nx\n", NULL,
		 "'specs/A.YAML' and 1 more are not read (a spec is what ends in .yaml or .yml, in lower case: rename "
		 "what "
		 "belongs to it)\n"
		 "there is no spec in 'specs' (put a file such as stack.yaml there, or name another folder with -C)\n",
		 0},
		{"an unreadable file", A "net.vpc: {b: {}}\n=== b.yaml\nnet.vpc: {a: {}}\n", "a.yaml",
		 "b.yaml:1:11: net.vpc needs the field 'cidr' (add 'cidr': the range of the network) [net.vpc.a]\n"
		 "cannot read 'specs/a.yaml'\n",
		 0},
		{"a file of 1 GB", "=== a.yaml\nx\n", NULL, "'specs/a.yaml' is too large\n", 1024 * 1024 * 1024},
		{"a file of NUL bytes", "=== a.yaml\nx\n", NULL,
		 "a.yaml:1:1: there is a NUL byte in the text (remove it; if there are many, the file is damaged or "
		 "saved "
		 "as UTF-16: save it as UTF-8)\n",
		 sizeof(zeros)},
	};
	size_t wrong = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(file_rows); i++) {
		struct loaded loaded;
		struct folder folder;
		const char *text;

		folder_init(&folder, file_rows[i].files);
		folder.unreadable = file_rows[i].unreadable;
		/* Of a file that is refused for its size not a byte is looked at. */
		if (file_rows[i].size > 0)
			folder.texts[0] = (struct slice){zeros, file_rows[i].size};
		loaded_start(&loaded, &folder, NULL);
		text = loaded_text(&loaded);
		if (strcmp(text, file_rows[i].expected) != 0) {
			print_error("%s:\n%s", file_rows[i].name, text);
			wrong++;
		}
		loaded_end(&loaded);
	}
	assert_int_equal(wrong, 0);
}

/* Beside one that is read, and what is no mistake for one. */
static void test_unread(void **state)
{
	struct loaded loaded;
	struct folder folder;

	(void)state;
	folder_init(&folder, A "=== B.YML\nnet.vpc: {\n=== .C.YAML\n\n=== YAML\n\n=== d.json\n\n");
	loaded_start(&loaded, &folder, NULL);
	assert_true(loaded.good && loaded.diagnostics.count == 1);
	assert_true(slice_is(loaded.diagnostics.items[0].message, "'specs/B.YML' is not read"));
	loaded_end(&loaded);
}

/* An empty folder. */
static void test_no_folder(void **state)
{
	struct loaded loaded;
	struct folder folder;

	(void)state;
	folder_init(&folder, "");
	loaded_start(&loaded, &folder, NULL);
	assert_int_equal(loaded.diagnostics.count, 1);
	assert_true(slice_starts_with(loaded.diagnostics.items[0].message, SLICE("there is no spec in")));
	loaded_end(&loaded);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unreadable),
		cmocka_unit_test(test_unread),
		cmocka_unit_test(test_no_folder),
	};

	return cmocka_run_group_tests_name("load_files", tests, NULL, NULL);
}
