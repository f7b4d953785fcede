/*
 * Defects that clang-tidy must tell, each at its line, with what .clang-tidy leaves of it: see the stage `planted` of
 * tools/lint.sh. Nothing here is built or run.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int choice(void);
void use(int value);
int planted_null(int *pointer);
int planted_leak(void);
int planted_use_after_free(int *pointer);
void planted_double_free(int *pointer);
int planted_uninitialised(void);
int planted_division(int value);
int *planted_stack_address(void);
void planted_argument(const char *text);
void planted_list(int count, ...);
void planted_system(const char *text);
int planted_number(const char *text);
void planted_semicolon(int value);

int planted_null(int *pointer)
{
	if (!pointer)
		use(1);
	return *pointer; /* told: clang-analyzer-core.NullDereference */
}

int planted_leak(void)
{
	char *text = malloc(8);

	if (!text)
		return -1;
	text[0] = 0;
	if (choice())
		return 1; /* told: clang-analyzer-unix.Malloc */
	free(text);
	return 0;
}

int planted_use_after_free(int *pointer)
{
	if (choice())
		free(pointer);
	return *pointer; /* told: clang-analyzer-unix.Malloc */
}

void planted_double_free(int *pointer)
{
	if (choice())
		free(pointer);
	free(pointer); /* told: clang-analyzer-unix.Malloc */
}

int planted_uninitialised(void)
{
	int value;

	if (choice())
		value = 1;
	return value; /* told: clang-analyzer-core.uninitialized.UndefReturn */
}

int planted_division(int value)
{
	if (value == 0)
		use(value);
	return 7 / value; /* told: clang-analyzer-core.DivideZero */
}

int *planted_stack_address(void)
{
	static int *kept;
	int value = choice();

	kept = &value;
	use(*kept);
	return kept; /* told: clang-analyzer-core.StackAddressEscape */
}

void planted_argument(const char *text)
{
	if (!text)
		use(1);
	use((int)strlen(text)); /* told: clang-analyzer-core.NonNullParamChecker */
}

void planted_list(int count, ...)
{
	va_list arguments;

	va_start(arguments, count);
	use(va_arg(arguments, int)); /* told: clang-analyzer-valist.Unterminated */
}

void planted_system(const char *text)
{
	use(system(text)); /* told: cert-env33-c */
}

int planted_number(const char *text)
{
	return atoi(text); /* told: cert-err34-c */
}

void planted_semicolon(int value)
{
	if (value > 3); /* told: bugprone-suspicious-semicolon */
		use(value);
}
