#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/support_load.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

#define A "=== a.yaml\nstack: s\n"
#define VPC "net.vpc: {a: {cidr: 10.0.0.0/16}}\n"

static const struct load_row section_rows[] = {
	{"no name", "=== a.yaml\n" VPC,
	 "the stack has no name (add a line such as 'stack: research-west'; the name stays for the stack's life)\n"},
	{"a bad name", "=== a.yaml\nstack: Not_a_label\n",
	 "a.yaml:1:8: 'Not_a_label' cannot be the name of a stack (a name has up to 63 lower-case letters, digits and, "
	 "within, hyphens, such as research-west)\n"},
	{"a name of another type", "=== a.yaml\nstack: [s]\n",
	 "a.yaml:1:8: 'stack' expects a name, found a list (a name has up to 63 lower-case letters, digits and, "
	 "within, hyphens, such as research-west)\n"},
	{"a name twice", A "=== b.yaml\nstack: t\n",
	 "b.yaml:1:8: 'stack' is given twice (keep one of them) <a.yaml:1:8>\n"},
	{"not a map", "=== a.yaml\n- stack\n",
	 "a.yaml:1:1: a spec is a map of kinds and sections, found a list (begin with a line such as 'stack: NAME' or "
	 "'aws.vpc:')\n"},
	{"an unknown section", A "outptus: {}\n",
	 "a.yaml:2:1: 'outptus' is neither a kind nor a section (did you mean 'outputs'?)\n"},
	{"an unknown kind", A "net.vcp: {a: {}}\n",
	 "a.yaml:2:1: 'net.vcp' is neither a kind nor a section (did you mean 'net.vpc'?)\n"},
	{"an unknown kind, and those who refer to what stands there",
	 A "net.vcp: {a: {cidr: 10.0.0.0/16}}\nnet.subnet: {s: {vpc: a}, t: {vpc: \"${net.vpc.a.id}\"}, u: {vpc: b}}\n"
	   "net.group: {g: {depends_on: [net.vpc.a, a]}}\noutputs: {o: \"${net.vpc.a.cidr}\"}\n",
	 "a.yaml:2:1: 'net.vcp' is neither a kind nor a section (did you mean 'net.vpc'?)\n"
	 "a.yaml:3:65: there is no net.vpc 'b' (the stack has no net.vpc: add one, or give the id of one that exists) "
	 "[net.subnet.u]\n"},
	{"a required field misspelt, and one that is missing", A "net.vpc: {a: {cdir: 10.0.0.0/16}, b: {dns: true}}\n",
	 "a.yaml:2:15: net.vpc has no field 'cdir' (did you mean 'cidr'?) [net.vpc.a]\n"
	 "a.yaml:2:35: net.vpc needs the field 'cidr' (add 'cidr': the range of the network) [net.vpc.b]\n"},
	{"a name with its kind", A "net.vpc.a: {cidr: 10.0.0.0/16}\n",
	 "a.yaml:2:1: 'net.vpc.a' is neither a kind nor a section (write 'net.vpc:', and the name on a line of its own "
	 "below it)\n"},
	{"nothing like it", A "something: {a: {}}\n",
	 "a.yaml:2:1: 'something' is neither a kind nor a section ('trueup schema' lists the kinds and their "
	 "fields)\n"},
	{"a setting outside of 'settings'", A "max_delete: 3\n",
	 "a.yaml:2:1: 'max_delete' is neither a kind nor a section (it belongs under 'settings:')\n"},
	{"a kind that is no map", A "net.vpc: [a]\n", "a.yaml:2:10: net.vpc expects a map, found a list\n"},
	{"a module", A "module: {x: {source: ./x}}\n",
	 "a.yaml:2:9: modules are not supported yet (write the resources themselves)\n"},
	{"settings", A "settings: {max_delete: -1, max_deletes: 3}\n=== b.yaml\nsettings: {max_delete: 4}\n",
	 "a.yaml:2:24: 'max_delete' cannot be -1 (it is the largest number of resources that one run may delete)\n"
	 "a.yaml:2:28: there is no setting 'max_deletes' (the only one is 'max_delete')\n"
	 "b.yaml:1:24: 'max_delete' is given twice (keep one of them) <a.yaml:2:24>\n"},
	{"a setting of another type", A "settings: {max_delete: all}\n",
	 "a.yaml:2:24: 'max_delete' expects a whole number, found a string (it is the largest number of resources that "
	 "one run may delete)\n"},
	{"a setting from a resource", A VPC "settings: {max_delete: \"${net.vpc.a.id}\"}\n",
	 "a.yaml:3:27: 'settings' may use variables only, not 'net.vpc.a' (write the value itself, or declare a "
	 "variable for it)\n"},
	{"sections of another type", A "vars: x\noutputs: [y1]\nproviders: 1\naddress_space: true\nsettings: []\n",
	 "a.yaml:2:7: 'vars' expects a map, found a string\n"
	 "a.yaml:3:10: 'outputs' expects a map, found a list\n"
	 "a.yaml:4:12: 'providers' expects a map, found a whole number\n"
	 "a.yaml:5:16: 'address_space' expects a map, found true or false\n"
	 "a.yaml:6:11: 'settings' expects a map, found a list\n"},
	{"variables",
	 A "vars: {1x: {}, none: {}, no_type: {type: text, default: 1}, wrong: {type: integer, default: 'x'}, extra: "
	   "{defautl: 1}, s: {secret: 1, default: z}, t: {type: strng, default: 1}}\n",
	 "a.yaml:2:8: '1x' cannot be the name of a variable (a name begins with a letter or '_' and has up to 63 "
	 "letters, digits, '_' and '-')\n"
	 "a.yaml:2:16: the variable 'none' has no value (give it a default, or run with --var none=VALUE or "
	 "TRUEUP_VAR_none=VALUE)\n"
	 "a.yaml:2:42: 'text' is no type of a variable (it may be: string, integer, number, bool, list, map, any)\n"
	 "a.yaml:2:93: the default is a string, but the type is 'integer'\n"
	 "a.yaml:2:99: the variable 'extra' has no value (give it a default, or run with --var extra=VALUE or "
	 "TRUEUP_VAR_extra=VALUE)\n"
	 "a.yaml:2:107: a variable has no 'defautl' (it may have: type, default, secret, about; a map as its default "
	 "is written 'extra: {default: {...}}')\n"
	 "a.yaml:2:132: 'secret' expects true or false, found a whole number\n"
	 "a.yaml:2:158: 'strng' is no type of a variable (did you mean 'string'?)\n"},
	{"a variable twice", A "vars: {x: 1}\n=== b.yaml\nvars: {x: 2}\n",
	 "b.yaml:1:8: the variable 'x' is declared twice <a.yaml:2:8>\n"},
	{"a default with an expression", A "vars: {x: {default: [{k: \"${var.z}\"}]}}\n",
	 "a.yaml:2:21: the default of a variable cannot hold expressions (compute it where it is used)\n"},
	{"an unknown variable", A "vars: {region: r}\noutputs: {o: \"${var.regoin}\"}\n",
	 "a.yaml:3:17: there is no variable 'regoin' (did you mean 'region'?)\n"},
	{"a variable without a value is said once",
	 A "vars: {x: {}}\noutputs: {o: \"${var.x}\"}\nnet.group: {g: {about: \"${var.x}\"}}\n",
	 "a.yaml:2:8: the variable 'x' has no value (give it a default, or run with --var x=VALUE or "
	 "TRUEUP_VAR_x=VALUE)\n"},
	{"a secret variable without a value", A "vars: {x: {secret: true}}\noutputs: {o: \"${var.x}\"}\n",
	 "a.yaml:2:8: the variable 'x' has no value (it is secret: give it in the environment, as TRUEUP_VAR_x)\n"},
	{"providers", A "providers: {ent: {}, net: {retries: x}, net.1: {region: r}, box: {a: 1}, net.w: 5}\n",
	 "a.yaml:2:13: there is no provider 'ent' (did you mean 'net'?)\n"
	 "a.yaml:2:22: provider 'net' needs the field 'region'\n"
	 "a.yaml:2:37: 'retries' expects a whole number, found a string\n"
	 "a.yaml:2:41: '1' cannot be the name of an alias (a name begins with a letter or '_' and has up to 63 "
	 "letters, digits, '_' and '-')\n"
	 "a.yaml:2:67: provider 'box' has no field 'a'\n"
	 "a.yaml:2:81: provider 'net.w' expects a map, found a whole number\n"},
	{"a provider twice", A "providers: {net: {region: r}}\n=== b.yaml\nproviders: {net: {region: r}}\n",
	 "b.yaml:1:13: the provider 'net' is given twice <a.yaml:2:13>\n"},
	{"a provider from a resource", A VPC "providers: {net: {region: \"${net.vpc.a.id}\"}}\n",
	 "a.yaml:3:30: 'providers' may use variables only, not 'net.vpc.a' (write the value itself, or declare a "
	 "variable for it)\n"},
	{"outputs", A "outputs: {1: a, o: \"${net.vpc.none.id}\", o2: 1}\n=== b.yaml\noutputs: {o2: 2}\n",
	 "a.yaml:2:11: '1' cannot be the name of an output (a name begins with a letter or '_' and has up to 63 "
	 "letters, digits, '_' and '-')\n"
	 "a.yaml:2:23: there is nothing called 'net.vpc.none' in this stack\n"
	 "b.yaml:1:11: the output 'o2' is given twice <a.yaml:2:42>\n"},
	{"ranges", A "address_space: {pools: {a: 10.0.0.1/8, b: x, c: 5}, reserve: {}, reserved: [1]}\n",
	 "a.yaml:2:28: '10.0.0.1/8' has bits set beyond its length (write 10.0.0.0/8, the network it lies in)\n"
	 "a.yaml:2:43: a range of addresses is expected here (write it such as 10.0.0.0/16 or fd00:1::/48)\n"
	 "a.yaml:2:49: a range of addresses is expected here (write it such as 10.0.0.0/16 or fd00:1::/48)\n"
	 "a.yaml:2:53: 'address_space' has no part 'reserve' (it may have: pools, reserved, networks)\n"
	 "a.yaml:2:76: 'reserved' expects a map, found a list\n"},
	{"a range twice",
	 A "address_space: {pools: {a: 10.0.0.0/8}}\n=== b.yaml\naddress_space: {pools: {a: 11.0.0.0/8}}\n",
	 "b.yaml:1:25: 'a' is given twice under 'pools' <a.yaml:2:25>\n"},
};

static const struct load_row resource_rows[] = {
	{"an address twice", A VPC "=== b.yaml\nnet.vpc: {a: {cidr: 10.1.0.0/16}}\n",
	 "b.yaml:1:11: 'net.vpc.a' is declared twice (give one of them another name, or bring them into one) "
	 "<a.yaml:2:11>\n"},
	{"a name twice in one map", A "net.group:\n  a: {}\n  a: {}\n",
	 "a.yaml:4:3: 'a' is given twice (remove one of them, or bring them into one) <a.yaml:3:3>\n"},
	{"bad names", A "net.group: {1a: {}, 'a b': {}, 'ümlaut': {}}\n",
	 "a.yaml:2:13: '1a' cannot be the name of a resource (a name begins with a letter or '_' and has up to 63 "
	 "letters, digits, '_' and '-')\n"
	 "a.yaml:2:21: 'a b' cannot be the name of a resource (a name begins with a letter or '_' and has up to 63 "
	 "letters, digits, '_' and '-')\n"
	 "a.yaml:2:32: 'ümlaut' cannot be the name of a resource (a name begins with a letter or '_' and has up to 63 "
	 "letters, digits, '_' and '-')\n"},
	{"names that are no text where they are used", A "net.group: {on: {}, Null: {}, 'no': {}, none: {}}\n",
	 "a.yaml:2:13: 'on' cannot be the name of a resource (where something refers to it by that name, YAML reads "
	 "true, false or null: give it another one, such as 'on1')\n"
	 "a.yaml:2:21: 'Null' cannot be the name of a resource (where something refers to it by that name, YAML reads "
	 "true, false or null: give it another one, such as 'Null1')\n"
	 "a.yaml:2:31: 'no' cannot be the name of a resource (where something refers to it by that name, YAML reads "
	 "true, false or null: give it another one, such as 'no1')\n"},
	{"letters that are truths of an older YAML", A "net.vpc: {y: {cidr: 10.0.0.0/16, dns: n}}\n",
	 "a.yaml:2:39: 'dns' expects true or false, found a string (write true or false: 'n' is text) [net.vpc.y]\n"},
	{"a resource that is no map", A "net.group: {a: [1], b: 5}\n",
	 "a.yaml:2:16: net.group.a expects a map, found a list\n"
	 "a.yaml:2:24: net.group.b expects a map, found a whole number\n"},
	{"an unknown field", A "net.vpc: {a: {cdir: 10.0.0.0/16, cidr: 10.0.0.0/16}}\n",
	 "a.yaml:2:15: net.vpc has no field 'cdir' (did you mean 'cidr'?) [net.vpc.a]\n"},
	{"a missing field", A "net.vpc: {a: {}}\n",
	 "a.yaml:2:11: net.vpc needs the field 'cidr' (add 'cidr': the range of the network) [net.vpc.a]\n"},
	{"wrong types",
	 A "net.vpc: {a: {cidr: [1], cidr6: 5, ranges: 10.0.0.0/16, dns: 'true', tags: [x]}}\nnet.subnet: {x: {vpc: 5, "
	   "size: '5', weight: x, zone: 1}}\n",
	 "a.yaml:2:21: 'cidr' expects an IPv4 range such as 10.0.0.0/16, found a list [net.vpc.a]\n"
	 "a.yaml:2:33: 'cidr6' expects an IPv6 range such as fd00:1::/48, found a whole number [net.vpc.a]\n"
	 "a.yaml:2:44: 'ranges' expects a list, found a string (write it as a list: [...], or one item a line after '- "
	 "') [net.vpc.a]\n"
	 "a.yaml:2:62: 'dns' expects true or false, found a string (leave out the quotes) [net.vpc.a]\n"
	 "a.yaml:2:76: 'tags' expects a map, found a list [net.vpc.a]\n"
	 "a.yaml:3:23: 'vpc' expects a reference to 'net.vpc', found a whole number [net.subnet.x]\n"
	 "a.yaml:3:32: 'size' expects a whole number, found a string (leave out the quotes) [net.subnet.x]\n"
	 "a.yaml:3:45: 'weight' expects a number, found a string [net.subnet.x]\n"
	 "a.yaml:3:54: 'zone' expects a string, found a whole number (put it in quotes if it is meant as text) "
	 "[net.subnet.x]\n"},
	{"bad ranges",
	 A "net.vpc: {a: {cidr: 10.0.0.0/33, cidr6: 10.0.0.0/8}, b: {cidr: 10.0.0.1/16}, c: {cidr: fd00::/8}, d: "
	   "{cidr: auto/16 from pool}}\n",
	 "a.yaml:2:21: 'cidr' expects an IPv4 range such as 10.0.0.0/16, found '10.0.0.0/33' [net.vpc.a]\n"
	 "a.yaml:2:41: 'cidr6' expects an IPv6 range such as fd00:1::/48, found '10.0.0.0/8' [net.vpc.a]\n"
	 "a.yaml:2:64: 'cidr' has bits set beyond its length: '10.0.0.1/16' (write 10.0.0.0/16, the network it lies "
	 "in) [net.vpc.b]\n"
	 "a.yaml:2:88: 'cidr' expects an IPv4 range such as 10.0.0.0/16, found 'fd00::/8' [net.vpc.c]\n"
	 "a.yaml:2:109: 'cidr' asks for a range to be chosen, which is not supported yet (write the range itself, such "
	 "as 10.0.0.0/16) [net.vpc.d]\n"},
	{"choices, patterns and bounds",
	 A "net.subnet: {x: {vpc: vpc-01234567, zone: alhpa, size: 101, label: A1, weight: 2}, b: {vpc: vpc-01234567, "
	   "zone: zzz, size: 7, label: abcdefghi}}\n",
	 "a.yaml:2:43: 'zone' cannot be 'alhpa' (did you mean 'alpha'? It may be: alpha, beta, gamma) [net.subnet.x]\n"
	 "a.yaml:2:56: 'size' cannot be 101 (it must be from 2 to 100) [net.subnet.x]\n"
	 "a.yaml:2:68: 'label' cannot be 'A1' (write small letters) [net.subnet.x]\n"
	 "a.yaml:2:80: 'weight' cannot be 2 (it must be from 0 to 1) [net.subnet.x]\n"
	 "a.yaml:2:113: 'zone' cannot be 'zzz' (it may be: alpha, beta, gamma) [net.subnet.b]\n"
	 "a.yaml:2:124: 'size' must be even [net.subnet.b]\n"
	 "a.yaml:2:134: 'label' cannot have 9 characters (it takes from 2 to 8 characters) [net.subnet.b]\n"},
	{"exclusives",
	 A VPC "net.group: {g: {vpc: a, peer: g2, rules: [{protocol: tcp, cidr: 10.0.0.0/8, group: g2}, {protocol: "
	       "udp}]}, g2: {}}\n",
	 "a.yaml:3:31: net.group cannot have both 'vpc' and 'peer' (keep one of them) <a.yaml:3:22> [net.group.g]\n"
	 "a.yaml:3:65: 'rules' cannot have both 'group' and 'cidr' (keep one of them) <a.yaml:3:84> [net.group.g]\n"
	 "a.yaml:3:89: 'rules' needs one of 'group', 'cidr' [net.group.g]\n"},
	{"a mistake in one field does not hide another's",
	 A "net.vpc: {a: {cidr: 10.0.0.0/16, colour: red}}\nnet.subnet: {x: {vpc: a, cidr: 10.1.0.0/24}}\n",
	 "a.yaml:2:34: net.vpc has no field 'colour' (it may have: cidr, cidr6, ranges, dns, tags) [net.vpc.a]\n"
	 "a.yaml:3:32: 10.1.0.0/24 of 'net.subnet.x' lies outside the ranges of 'net.vpc.a' (the nearest free range of "
	 "this size is 10.0.0.0/24) <a.yaml:2:21> [net.subnet.x]\n"},
	{"a mistake in the range itself: what lies within it is not known",
	 A "net.vpc: {a: {cidr: 10.0.0.1/16}}\nnet.subnet: {x: {vpc: a, cidr: 10.1.0.0/24}}\n",
	 "a.yaml:2:21: 'cidr' has bits set beyond its length: '10.0.0.1/16' (write 10.0.0.0/16, the network it lies "
	 "in) "
	 "[net.vpc.a]\n"},
	{"one of several fields misspelt, and one that is like none of them",
	 A VPC "net.group: {g: {rules: [{protocol: tcp, cdir: 10.0.0.0/8}, {protocol: udp, colour: red}]}}\n",
	 "a.yaml:3:41: 'rules' has no field 'cdir' (did you mean 'cidr'?) [net.group.g]\n"
	 "a.yaml:3:60: 'rules' needs one of 'group', 'cidr' [net.group.g]\n"
	 "a.yaml:3:76: 'rules' has no field 'colour' (it may have: protocol, port, group, cidr, note) [net.group.g]\n"},
	{"two rules with one key",
	 A "net.group: {g: {rules: [{protocol: tcp, cidr: 10.0.0.0/8, note: p}, {protocol: tcp, cidr: 10.0.0.0/8, "
	   "note: q}]}}\n",
	 "a.yaml:2:69: 'rules' has two different entries for 'tcp 10.0.0.0/8' (keep one of them, or bring them "
	 "into one) <a.yaml:2:25> [net.group.g]\n"},
	{"a rule of the kind", A "net.vpc: {a: {cidr: 10.0.0.0/16, ranges: [10.1.0.0/16]}}\n",
	 "a.yaml:2:42: an net.vpc with 'ranges' needs 'dns' [net.vpc.a]\n"},
	{"a rule of the kind, and a field that it has not",
	 A "net.vpc: {a: {cidr: 10.0.0.0/16, ranges: [10.1.0.0/16], nothing: 1}}\n",
	 "a.yaml:2:42: an net.vpc with 'ranges' needs 'dns' [net.vpc.a]\n"
	 "a.yaml:2:57: net.vpc has no field 'nothing' (it may have: cidr, cidr6, ranges, dns, tags) [net.vpc.a]\n"},
	{"a rule of the kind, and a field that fits ill", A "net.vpc: {a: {cidr: [1], ranges: [10.1.0.0/16]}}\n",
	 "a.yaml:2:21: 'cidr' expects an IPv4 range such as 10.0.0.0/16, found a list [net.vpc.a]\n"
	 "a.yaml:2:34: an net.vpc with 'ranges' needs 'dns' [net.vpc.a]\n"},
	{"a rule of the kind, and a reference to nothing",
	 A "net.vpc: {a: {cidr: 10.0.0.0/16, ranges: [10.1.0.0/16], tags: {x: \"${net.vpc.b.id}\"}}}\n",
	 "a.yaml:2:42: an net.vpc with 'ranges' needs 'dns' [net.vpc.a]\n"
	 "a.yaml:2:70: there is nothing called 'net.vpc.b' in this stack (did you mean 'net.vpc.a'?) [net.vpc.a]\n"},
	{"a rule about what is misspelt", A "net.vpc: {a: {cidr: 10.0.0.0/16, ranges: [10.1.0.0/16], dsn: true}}\n",
	 "a.yaml:2:57: net.vpc has no field 'dsn' (did you mean 'dns'?) [net.vpc.a]\n"},
	{"a rule about what fits ill", A "net.vpc: {a: {cidr: 10.0.0.0/16, ranges: [10.1.0.0/16], dns: 5}}\n",
	 "a.yaml:2:62: 'dns' expects true or false, found a whole number [net.vpc.a]\n"},
	{"a bad document", A "net.gateway: {a: {policy: '{\"x\":'}, b: {policy: 5}}\n",
	 "a.yaml:2:27: 'policy' is not a JSON document (correct the text, or write the document as YAML, without "
	 "quotes around it) [net.gateway.a]\n"
	 "a.yaml:2:49: 'policy' expects a JSON document, as text or as a map, found a whole number [net.gateway.b]\n"},
	{"a secret is not shown", A "net.gateway: {a: {password: [hunter2], options: {mode: m, secret: 5}}}\n",
	 "a.yaml:2:29: 'password' expects a string, found a list [net.gateway.a]\n"
	 "a.yaml:2:67: 'secret' expects a string, found a whole number (put it in quotes if it is meant as text) "
	 "[net.gateway.a]\n"},
	{"meta fields of another type",
	 A VPC "net.group: {g: {depends_on: net.vpc.a, provider: [net], lifecycle: {protect: 1, create_before_destroy: "
	       "x, ignore: tags}}, h: {depends_on: [5], lifecycle: x}}\n",
	 "a.yaml:3:29: 'depends_on' expects a list of addresses, found a string (write it as a list: [net.vpc.a]) "
	 "[net.group.g]\n"
	 "a.yaml:3:50: 'provider' expects the name of a provider, found a list [net.group.g]\n"
	 "a.yaml:3:78: 'protect' expects true or false, found a whole number [net.group.g]\n"
	 "a.yaml:3:104: 'create_before_destroy' expects true or false, found a string [net.group.g]\n"
	 "a.yaml:3:115: 'ignore' expects a list of field names, found a string (write it as a list: [tags]) "
	 "[net.group.g]\n"
	 "a.yaml:3:140: 'depends_on' expects addresses such as aws.vpc.train, found a whole number [net.group.h]\n"
	 "a.yaml:3:155: 'lifecycle' expects a map, found a string [net.group.h]\n"},
	{"meta fields to come",
	 A "net.group:\n  g:\n    for_each: [a]\n    when: true\n    import: x\n    moved_from: x\n    timeouts: {}\n  "
	   "  lifecycle: {replace_when: [], forget: true, protct: true}\n",
	 "a.yaml:4:5: 'for_each' is not supported yet [net.group.g]\n"
	 "a.yaml:5:5: 'when' is not supported yet [net.group.g]\n"
	 "a.yaml:6:5: 'import' is not supported yet [net.group.g]\n"
	 "a.yaml:7:5: 'moved_from' is not supported yet [net.group.g]\n"
	 "a.yaml:8:5: 'timeouts' is not supported yet [net.group.g]\n"
	 "a.yaml:9:17: 'replace_when' is not supported yet [net.group.g]\n"
	 "a.yaml:9:35: 'forget' is not supported yet [net.group.g]\n"
	 "a.yaml:9:49: 'lifecycle' has no 'protct' (did you mean 'protect'?) [net.group.g]\n"},
	{"depends_on nothing", A VPC "net.group: {g: {depends_on: [net.vpc.b, net.group.g, a]}}\n",
	 "a.yaml:3:30: there is nothing called 'net.vpc.b' in this stack (did you mean 'net.vpc.a'?) [net.group.g]\n"
	 "a.yaml:3:41: 'net.group.g' cannot depend on itself [net.group.g]\n"
	 "a.yaml:3:54: there is nothing called 'a' in this stack (write the whole address: the kind, a dot and the "
	 "name) [net.group.g]\n"},
	{"ignores nothing", A "net.group: {g: {lifecycle: {ignore: [abuot, 5]}}}\n",
	 "a.yaml:2:38: net.group has no field 'abuot' to ignore (did you mean 'about'?) [net.group.g]\n"
	 "a.yaml:2:45: 'ignore' expects names of fields, found a whole number [net.group.g]\n"},
	{"another tool's lifecycle",
	 A "net.group: {g: {lifecycle: {prevent_destroy: true, ignore_changes: [about]}}}\n",
	 "a.yaml:2:29: 'lifecycle' has no 'prevent_destroy' (write 'protect') [net.group.g]\n"
	 "a.yaml:2:52: 'lifecycle' has no 'ignore_changes' (write 'ignore') [net.group.g]\n"},
	{"another tool's fields", A "net.group: {g: {count: 2, prevent_destroy: true}}\n",
	 "a.yaml:2:17: net.group has no field 'count' (nothing is repeated: write each one out) [net.group.g]\n"
	 "a.yaml:2:27: net.group has no field 'prevent_destroy' (a resource is protected by 'lifecycle: {protect: "
	 "true}') [net.group.g]\n"},
	{"wrong providers",
	 A "providers: {net.east: {region: r}}\nnet.group: {g: {provider: net.esat}, h: {provider: box}}\n",
	 "a.yaml:3:27: there is no provider 'net.esat' (did you mean 'net.east'?) [net.group.g]\n"
	 "a.yaml:3:52: 'net.group' needs a provider of 'net', not 'box' [net.group.h]\n"},
	{"nothing more is said of what a provider that is not there would reach",
	 A "providers: {net: {region: r}}\nnet.vpc: {a: {cidr: 10.0.0.0/16}}\n"
	   "net.subnet: {s: {vpc: a, provider: net.esat}}\n",
	 "a.yaml:4:36: there is no provider 'net.esat' (add it under 'providers:') [net.subnet.s]\n"},
	{"a meta field from a resource", A VPC "net.group: {g: {lifecycle: {protect: \"${net.vpc.a.id}\"}}}\n",
	 "a.yaml:3:41: 'lifecycle' may use variables only, not 'net.vpc.a' (write the value itself, or declare a "
	 "variable for it) [net.group.g]\n"},
};

#define EAST                                                                                                           \
	"providers: {net: {region: r}, net.twin: {region: r}, net.east: {region: e}, net.other: {region: r, account: " \
	"'1'}, net.third: {region: r, account: '2'}, net.box: {region: r, endpoint: x}}\n"

static const struct load_row elsewhere_rows[] = {
	{"another region", A EAST "net.vpc: {a: {cidr: 10.0.0.0/16, provider: net.east}}\nnet.subnet: {s: {vpc: a}}\n",
	 "a.yaml:4:23: 'vpc' refers to 'net.vpc.a', which provider 'net.east' has in region e, but provider 'net' "
	 "reaches region r (give both the same 'provider': 'vpc' is looked for in its own place alone) <a.yaml:3:11> "
	 "[net.subnet.s]\n"},
	{"another account, written as an expression",
	 A EAST "net.vpc: {a: {cidr: 10.0.0.0/16, provider: net.third}}\nnet.subnet: {s: {provider: net.other, vpc: "
		"\"${net.vpc.a.id}\"}}\n",
	 "a.yaml:4:44: 'vpc' refers to 'net.vpc.a', which provider 'net.third' has in account 2, but provider "
	 "'net.other' reaches account 1 (give both the same 'provider': 'vpc' is looked for in its own place alone) "
	 "<a.yaml:3:11> [net.subnet.s]\n"},
	{"another endpoint, within a part",
	 A EAST VPC "net.group: {g: {vpc: a, rules: [{protocol: tcp, group: h}]}, h: {provider: net.box}}\n",
	 "a.yaml:4:56: 'rules' refers to 'net.group.h', which provider 'net.box' has in endpoint x, but provider 'net' "
	 "reaches endpoint of its own (give both the same 'provider': 'rules' is looked for in its own place alone) "
	 "<a.yaml:4:62> [net.group.g]\n"},
};

static const struct load_row text_rows[] = {
	{"a number where text is to be, written and come to",
	 A "vars: {n: {type: integer, default: 5}, f: true}\nnet.group:\n  a: {about: 5}\n  b: {about: \"${var.n}\"}\n"
	   "  c: {about: \"${var.n + 1}\"}\n  d: {about: \"${var.f}\"}\n  e: {about: \"${tostring(var.n)}\"}\n"
	   "  f: {about: \"${var.n}.\"}\n",
	 "a.yaml:4:14: 'about' expects a string, found a whole number (put it in quotes if it is meant as text) "
	 "[net.group.a]\n"
	 "a.yaml:5:14: 'about' expects a string, found a whole number (write tostring(...) around the expression if it "
	 "is meant as text) [net.group.b]\n"
	 "a.yaml:6:14: 'about' expects a string, found a whole number (write tostring(...) around the expression if it "
	 "is meant as text) [net.group.c]\n"
	 "a.yaml:7:14: 'about' expects a string, found true or false (write tostring(...) around the expression if it "
	 "is meant as text) [net.group.d]\n"},
};

static const struct load_row twin_rows[] = {
	{"one machine twice, spelled in two ways and through two providers",
	 A "providers: {box.b: {}}\nvars: {n: 1}\n"
	   "box.machine: {a: {address: 'fd00::1', slot: 1}, b: {address: 'FD00:0::1', slot: \"${var.n}\", provider: "
	   "box.b}}\n",
	 "a.yaml:4:49: 'box.machine.b' is the same thing as 'box.machine.a': both have the same 'address', 'slot' "
	 "(keep one of them, and refer to it from wherever the other was used) <a.yaml:4:15> [box.machine.b]\n"},
	{"the same without what both leave out, three times",
	 A "box.machine:\n  a: {address: 10.0.0.1}\n  b: {address: 10.0.0.1, note: z}\n  c: {address: 10.0.0.1}\n",
	 "a.yaml:4:3: 'box.machine.b' is the same thing as 'box.machine.a': both have the same 'address' (keep one of "
	 "them, and refer to it from wherever the other was used) <a.yaml:3:3> [box.machine.b]\n"
	 "a.yaml:5:3: 'box.machine.c' is the same thing as 'box.machine.a': both have the same 'address' (keep one of "
	 "them, and refer to it from wherever the other was used) <a.yaml:3:3> [box.machine.c]\n"},
};

static const struct load_row reference_rows[] = {
	{"a reference to nothing",
	 A "net.vpc: {train: {cidr: 10.0.0.0/16}}\nnet.subnet: {x: {vpc: trian}, b: {vpc: net.vpc.trian}, c: {vpc: "
	   "''}}\n",
	 "a.yaml:3:23: there is no net.vpc 'trian' (did you mean 'train'?) [net.subnet.x]\n"
	 "a.yaml:3:40: there is no net.vpc 'net.vpc.trian' (did you mean 'train'?) [net.subnet.b]\n"
	 "a.yaml:3:65: there is no net.vpc '' [net.subnet.c]\n"},
	{"a reference where there is none of the kind", A "net.subnet: {x: {vpc: train}}\n",
	 "a.yaml:2:23: there is no net.vpc 'train' (the stack has no net.vpc: add one, or give the id of one that "
	 "exists) [net.subnet.x]\n"},
	{"a reference to another kind",
	 A VPC "net.subnet: {x: {vpc: a}, b: {vpc: x}, c: {vpc: net.subnet.x}, d: {vpc: \"${net.subnet.x.id}\"}}\n",
	 "a.yaml:3:36: 'vpc' expects a reference to 'net.vpc', but 'x' is of kind 'net.subnet' <a.yaml:3:14> "
	 "[net.subnet.b]\n"
	 "a.yaml:3:49: 'vpc' expects a reference to 'net.vpc', but 'net.subnet.x' is of kind 'net.subnet' "
	 "<a.yaml:3:14> [net.subnet.c]\n"
	 "a.yaml:3:73: 'vpc' expects a reference to 'net.vpc', but 'net.subnet.x' is of kind 'net.subnet' "
	 "<a.yaml:3:14> [net.subnet.d]\n"},
	{"references in lists and objects", A "net.gateway: {g: {subnets: [none, 5], options: {mode: m, vpc: none}}}\n",
	 "a.yaml:2:29: there is no net.subnet 'none' (the stack has no net.subnet: add one, or give the id of one that "
	 "exists) [net.gateway.g]\n"
	 "a.yaml:2:35: 'subnets' expects a reference to 'net.subnet', found a whole number [net.gateway.g]\n"
	 "a.yaml:2:63: there is no net.vpc 'none' (the stack has no net.vpc: add one, or give the id of one that "
	 "exists) [net.gateway.g]\n"},
	{"a number where a reference may be one in quotes", A "net.gateway: {g: {owner: 5}}\n",
	 "a.yaml:2:26: 'owner' expects a reference to 'net.vpc', found a whole number (put it in quotes if it is meant "
	 "as such, or name a resource, whose 'arn' is taken) [net.gateway.g]\n"},
	{"self where it is no reference to its kind", A "net.subnet: {x: {vpc: self}}\n",
	 "a.yaml:2:23: there is no net.vpc 'self' (the stack has no net.vpc: add one, or give the id of one that "
	 "exists) [net.subnet.x]\n"},
	{"itself", A "net.group: {g: {peer: self}, h: {peer: h}, i: {peer: \"${net.group.i.id}\"}}\n",
	 "a.yaml:2:23: 'net.group.g' refers to itself in 'peer' (what it refers to is only known once it is made: "
	 "refer to another resource) [net.group.g]\n"
	 "a.yaml:2:40: 'net.group.h' refers to itself in 'peer' (what it refers to is only known once it is made: "
	 "refer to another resource) [net.group.h]\n"
	 "a.yaml:2:54: 'net.group.i' refers to itself in 'peer' (what it refers to is only known once it is made: "
	 "refer to another resource) [net.group.i]\n"},
	{"an expression to nothing",
	 A VPC "net.group: {g: {about: \"${net.vpc.b.id}\"}, h: {about: 'x ${net.vcp.a.id}'}}\n",
	 "a.yaml:3:27: there is nothing called 'net.vpc.b' in this stack (did you mean 'net.vpc.a'?) [net.group.g]\n"
	 "a.yaml:3:60: there is nothing called 'net.vcp.a' in this stack (did you mean 'net.vpc.a'?) [net.group.h]\n"},
	{"an unknown attribute",
	 A VPC "net.group: {g: {about: \"${net.vpc.a.cdir}\"}, i: {about: \"${net.vpc.a.dns}\"}, j: {about: "
	       "\"${net.vpc.a.rangse}${net.group.g.abuot}\"}}\n",
	 "a.yaml:3:27: 'net.vpc.a' has no 'cdir' (did you mean 'cidr'? Its outputs are: id, arn, cidr, version) "
	 "[net.group.g]\n"
	 "a.yaml:3:60: 'net.vpc.a' does not set 'dns' (set it there; what a service chooses by itself cannot be "
	 "referred to) <a.yaml:2:11> [net.group.i]\n"
	 "a.yaml:3:92: 'net.vpc.a' has no 'rangse' (its outputs are: id, arn, cidr, version) [net.group.j]\n"
	 "a.yaml:3:111: 'net.group.g' has no 'abuot' (did you mean 'about'? Its outputs are: id) [net.group.j]\n"},
	{"an expression of another type",
	 A "net.group: {g: {about: \"${1 + 2}\"}}\nnet.subnet: {x: {vpc: \"${[1]}\"}}\n",
	 "a.yaml:2:24: 'about' expects a string, found a whole number (write tostring(...) around the expression if it "
	 "is meant as text) [net.group.g]\n"
	 "a.yaml:3:23: 'vpc' expects a reference to 'net.vpc', found a list (it takes one: the name of a resource, or "
	 "the id of "
	 "what is not in this stack) [net.subnet.x]\n"},
	{"an error is not repeated by those who refer to it",
	 A "net.group: {g: {about: \"${net.group.none.id}\"}, h: {about: \"${net.group.g.about}\"}, i: {about: "
	   "\"${net.group.h.about}\"}}\n",
	 "a.yaml:2:27: there is nothing called 'net.group.none' in this stack (did you mean 'net.group.g'?) "
	 "[net.group.g]\n"},
	{"a circle of values",
	 A "net.group: {g: {about: \"${net.group.h.about}\"}, h: {about: \"${net.group.i.about}\"}, i: {about: "
	   "\"x${net.group.g.about}\"}}\n",
	 "a.yaml:2:100: the value goes round in a circle: 'net.group.g.about' (specs/a.yaml:2:17) needs "
	 "'net.group.h.about' (specs/a.yaml:2:53) needs 'net.group.i.about' (specs/a.yaml:2:89) needs "
	 "'net.group.g.about' (specs/a.yaml:2:17) (give one of them a value of its own) [net.group.i]\n"},
	{"a value of itself", A "net.group: {g: {about: \"${net.group.g.about}\"}}\n",
	 "a.yaml:2:27: the value goes round in a circle: 'net.group.g.about' (specs/a.yaml:2:17) needs "
	 "'net.group.g.about' (specs/a.yaml:2:17) (give one of them a value of its own) [net.group.g]\n"},
	{"a circle beside a path to it",
	 A "net.group: {a: {about: \"${net.group.b.about}${net.group.c.about}\"}, b: {about: "
	   "\"${net.group.c.about}\"}, c: {about: \"${net.group.b.about}\"}}\n",
	 "a.yaml:2:83: the value goes round in a circle: 'net.group.c.about' (specs/a.yaml:2:109) needs "
	 "'net.group.b.about' (specs/a.yaml:2:73) needs 'net.group.c.about' (specs/a.yaml:2:109) (give one of them a "
	 "value of its own) [net.group.b]\n"},
	{"a circle of resources", A "net.group:\n  g: {peer: h}\n  h: {peer: i}\n  i: {peer: g}\n  k: {peer: g}\n",
	 "a.yaml:3:3: resources wait for one another in a circle: 'net.group.g' needs 'net.group.h' "
	 "(specs/a.yaml:3:13) needs 'net.group.i' (specs/a.yaml:4:13) needs 'net.group.g' (specs/a.yaml:5:13) (remove "
	 "one of these references) [net.group.g]\n"},
	{"a circle by depends_on",
	 A "net.group:\n  g: {depends_on: [net.group.h]}\n  h: {about: \"${net.group.g.id}\"}\n",
	 "a.yaml:3:3: resources wait for one another in a circle: 'net.group.g' needs 'net.group.h' "
	 "(specs/a.yaml:3:20) needs 'net.group.g' (specs/a.yaml:4:14) (remove one of these references) "
	 "[net.group.g]\n"},
	{"a circle through a part",
	 A "net.group:\n  g: {depends_on: [net.group.h]}\n  h: {rules: [{protocol: tcp, group: g}]}\n",
	 "a.yaml:3:3: resources wait for one another in a circle: 'net.group.g' needs 'net.group.h' "
	 "(specs/a.yaml:3:20) needs 'net.group.g' (specs/a.yaml:4:38) (remove one of these references) "
	 "[net.group.g]\n"},
	{"two circles", A "net.group: {a: {peer: b}, b: {peer: a}, c: {peer: d}, d: {peer: c}}\n",
	 "a.yaml:2:13: resources wait for one another in a circle: 'net.group.a' needs 'net.group.b' "
	 "(specs/a.yaml:2:23) needs 'net.group.a' (specs/a.yaml:2:37) (remove one of these references) [net.group.a]\n"
	 "a.yaml:2:41: resources wait for one another in a circle: 'net.group.c' needs 'net.group.d' "
	 "(specs/a.yaml:2:51) needs 'net.group.c' (specs/a.yaml:2:65) (remove one of these references) "
	 "[net.group.c]\n"},
};

static const struct load_row file_rows[] = {
	{"a tab", "=== a.yaml\nstack: s\nnet.group:\n\tg: {}\n",
	 "a.yaml:3:1: a tab cannot be used as indentation (indent with spaces)\n"},
	{"half a file", "=== a.yaml\nstack: s\nnet.vpc:\n  a: {cidr: 10.0",
	 "a.yaml:3:17: a ',' or the closing '}' of this map is missing\n"},
	{"two documents", "=== a.yaml\nstack: s\n---\nnet.group: {g: {}}\n",
	 "a.yaml:2:1: a second document begins here (put it into a file of its own, or remove the '---')\n"},
	{"every file is checked",
	 "=== a.yaml\nstack: s\nnet.vpc:\n  a: {cidr: [1]}\n  b: {cidr: @}\n=== b.yaml\nnet.group: {g: {abuot: "
	 "x}}\n=== c.yaml\nx: {a: yes}\n",
	 "a.yaml:3:13: 'cidr' expects an IPv4 range such as 10.0.0.0/16, found a list [net.vpc.a]\n"
	 "a.yaml:4:13: text cannot begin with '@' (put it in quotes)\n"
	 "b.yaml:1:17: net.group has no field 'abuot' (did you mean 'about'?) [net.group.g]\n"
	 "c.yaml:1:1: 'x' is neither a kind nor a section ('trueup schema' lists the kinds and their fields)\n"
	 "c.yaml:1:8: 'yes' could mean true or the text (write true, or \"yes\" in quotes if it is text or a name)\n"},
	{"what a cut file may hold is not missed",
	 "=== a.yaml\nnet.subnet: {x: {vpc: a}, z: {vpc: \"${net.vpc.b.id}\", tags: {t: \"${var.q}\"}}}\nnet.group: "
	 "{g: {depends_on: [net.group.h], provider: net.east}}\n=== b.yaml\nnet.vpc: {a: @\n",
	 "b.yaml:1:14: text cannot begin with '@' (put it in quotes)\n"},
	{"a refused word is one error", A "net.vpc: {a: {cidr: 10.0.0.0/16, dns: yes}}\nnet.group: {g: {about: off}}\n",
	 "a.yaml:2:39: 'yes' could mean true or the text (write true, or \"yes\" in quotes if it is text or a name)\n"
	 "a.yaml:3:24: 'off' could mean false or the text (write false, or \"off\" in quotes if it is text or a "
	 "name)\n"},
	{"an alias to an error", A "net.vpc: {a: &x {cidr: 10.0.0.1/16}, b: *x}\n",
	 "a.yaml:2:24: 'cidr' has bits set beyond its length: '10.0.0.1/16' (write 10.0.0.0/16, the network it lies "
	 "in) [net.vpc.a]\n"
	 "a.yaml:2:24: 'cidr' has bits set beyond its length: '10.0.0.1/16' (write 10.0.0.0/16, the network it lies "
	 "in) [net.vpc.b]\n"},
};

/* Errors that others word: only where they are is looked at. */
static const struct place_row {
	const char *name, *files;
	unsigned line, column, related_line, related_column;
} place_rows[] = {
	{"overlap",
	 A "net.vpc: {a: {cidr: 10.0.0.0/16}}\n"
	   "net.subnet: {x: {vpc: a, cidr: 10.0.0.0/24}, z: {vpc: a, cidr: 10.0.0.128/25}}\n",
	 3, 64, 3, 32},
	{"overlap with a reserved range",
	 A "address_space: {reserved: {office: 10.0.128.0/24}}\n"
	   "net.vpc: {a: {cidr: 10.0.0.0/16}}\n",
	 3, 21, 2, 36},
	{"an expression without an end", A "net.group: {g: {about: \"a ${\"}}\n", 2, 29, 0, 0},
	{"an expression that fails", A "net.group: {g: {about: ab, rules: ~}, h: {about: 'x${1 / 0}'}}\n", 2, 58, 0, 0},
	{"a resource is no value", A VPC "net.group: {h: {about: \"${net.vpc.a}\"}}\n", 3, 27, 0, 0},
};

static void test_places(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(place_rows); i++) {
		const struct place_row *row = &place_rows[i];
		const struct diag *diag;
		struct loaded loaded;
		struct folder folder;

		folder_init(&folder, row->files);
		loaded_start(&loaded, &folder, NULL);
		assert_int_equal(loaded.diagnostics.count, 1);
		diag = &loaded.diagnostics.items[0];
		if (diag->position.line != row->line || diag->position.column != row->column ||
		    diag->related.line != row->related_line || diag->related.column != row->related_column)
			fail_msg("%s: at %u:%u, related to %u:%u", row->name, diag->position.line,
				 (unsigned)diag->position.column, diag->related.line, (unsigned)diag->related.column);
		loaded_end(&loaded);
	}
}

static void test_sections(void **state)
{
	(void)state;
	assert_int_equal(load_rows_check(section_rows, COUNT(section_rows)), 0);
}

static void test_resources(void **state)
{
	(void)state;
	assert_int_equal(load_rows_check(resource_rows, COUNT(resource_rows)), 0);
}

static void test_elsewhere(void **state)
{
	(void)state;
	assert_int_equal(load_rows_check(elsewhere_rows, COUNT(elsewhere_rows)) +
				 load_rows_check(twin_rows, COUNT(twin_rows)) +
				 load_rows_check(text_rows, COUNT(text_rows)),
			 0);
}

static void test_references(void **state)
{
	(void)state;
	assert_int_equal(load_rows_check(reference_rows, COUNT(reference_rows)), 0);
}

static void test_files(void **state)
{
	(void)state;
	assert_int_equal(load_rows_check(file_rows, COUNT(file_rows)), 0);
}

static const char sample[] =
	"=== a.yaml\n"
	"stack: s\n"
	"vars: {n: {type: integer, default: 4}, name: alpha, l: {default: [x, z]}}\n"
	"providers: {net: {region: \"${var.name}\"}, net.east: {region: \"${var.name}\"}}\n"
	"address_space: {reserved: {o: 192.168.0.0/16}}\n"
	"settings: {max_delete: 3}\n"
	"net.vpc:\n"
	"  a: &v {cidr: 10.0.0.0/16, tags: {t: \"${var.l[0]}\", k: v}}\n"
	"  b: {<<: *v, cidr: 10.1.0.0/16, ranges: [fd00::/64, 10.2.0.0/16], dns: true}\n"
	"net.subnet:\n"
	"  x: {vpc: a, cidr: \"${cidr_subnet(net.vpc.a.cidr, 8, var.n)}\", zone: \"${var.name}\", size: 4, weight: "
	"0.5, label: abc}\n"
	"  z: {vpc: \"${net.subnet.x.vpc}\", tags: {i: \"${net.vpc.b.id}-${net.subnet.x.label}\"}}\n"
	"net.group:\n"
	"  g: {vpc: a, rules: [{protocol: tcp, port: 1, group: h}, {protocol: udp, cidr: 10.0.0.0/8}, {protocol: tcp, "
	"group: self}]}\n"
	"  h: {peer: g, depends_on: [net.vpc.a], lifecycle: {protect: true, ignore: [about]}, provider: net.east}\n"
	"net.gateway:\n"
	"  w: {vpc: b, subnets: [x, z, subnet-01234567], options: {mode: m, secret: s, vpc: a}, policy: '{\"a\": [1, "
	"2]}', password: p, address: 10.0.0.1, owner: a}\n"
	"box.machine: {m: {address: fd00::1}}\n"
	"outputs: {o: \"${net.gateway.w.id}\", p: {q: [\"${net.vpc.a.tags}\", 1]}}\n";

/* A spec that uses everything with bytes changed or copied about, from a fixed seed: whatever
 * comes of it is a stack or a diagnostic, never both and never neither. */
static void test_damaged(void **state)
{
	static const char spice[] = "\t\n :-[]{},&*!|>'\"%@`#?<\\\r\xff\xc3\x80~0123yn.$${}abxyz";
	const size_t start = sizeof("=== a.yaml\n") - 1, size = sizeof(sample) - 1;
	uint64_t seed = 3;

	(void)state;
	for (size_t round = 0; round < 600; round++) {
		char *copy = (char *)malloc(sizeof(sample));
		struct loaded loaded;
		struct folder folder;

		assert_non_null(copy);
		memcpy(copy, sample, sizeof(sample));
		for (size_t i = 0; i < round % 6; i++) {
			size_t at, from, length;

			seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
			at = start + (seed >> 33) % (size - start - 20);
			from = start + (seed >> 40) % (size - start - 20);
			length = (seed >> 50) % 20;
			if ((seed >> 10) % 3 == 0)
				memmove(copy + at, copy + from, length);
			else
				copy[at] = spice[(seed >> 20) % (sizeof(spice) - 1)];
		}
		folder_init(&folder, copy);
		loaded_start(&loaded, &folder, NULL);
		if (round % 6 == 0)
			assert_true(loaded.good);
		assert_true(loaded_text(&loaded)[0] != '\0');
		loaded_end(&loaded);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sections),  cmocka_unit_test(test_resources), cmocka_unit_test(test_references),
		cmocka_unit_test(test_elsewhere), cmocka_unit_test(test_files),	    cmocka_unit_test(test_places),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests_name("load errors", tests, NULL, NULL);
}
