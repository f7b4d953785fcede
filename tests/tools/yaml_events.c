/*
 * The floor under every benchmark: libyaml's bare event loop over one file, and nothing
 * done with what it finds. Prints the number of events.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <yaml.h>

int main(int argc, char **argv)
{
	yaml_parser_t parser;
	yaml_event_t event;
	unsigned long count = 0;
	bool ended = false;
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;

	if (!file)
		return EXIT_FAILURE;
	if (!yaml_parser_initialize(&parser)) {
		fclose(file);
		return EXIT_FAILURE;
	}
	yaml_parser_set_input_file(&parser, file);
	while (!ended) {
		if (!yaml_parser_parse(&parser, &event)) {
			fprintf(stderr, "%s\n", parser.problem);
			fclose(file);
			return EXIT_FAILURE;
		}
		ended = event.type == YAML_STREAM_END_EVENT;
		yaml_event_delete(&event);
		count++;
	}
	yaml_parser_delete(&parser);
	fclose(file);
	printf("%lu\n", count);
	return EXIT_SUCCESS;
}
