/** Input errors by the codes of their facts. For other codes the gateway's own message is shown. */
export const problemMessages = {
  'problem.required': 'This is required.',
  'problem.empty': 'This must not be empty.',
  'problem.repeated': 'This is given twice. Each must be another.',
  'problem.reserved_name': 'This name is reserved. Choose another one.',
  'problem.fixed_name': 'The name cannot be changed here.',
  'problem.in_past': 'This time is over.',
  'problem.weak_password':
    'This password is too easy to guess: it is little more than the name, or a few characters repeated.',
  'problem.wrong_code': 'This code is not right. Check the clock of the phone, or start again.',
  'problem.nothing_to_raise': 'The budget is unlimited, so there is nothing to raise.',
  'problem.nothing_to_change': 'This would change nothing. Change a field.',
  'problem.matches_empty_text': 'This pattern must not match an empty text.',
  'problem.private_address': 'The address leads to this machine or a private network.',
  'problem.address_with_credentials': 'The address must not hold a user name or a password.',
  'problem.address_with_query': 'The address must not have a query.',
  'problem.address_with_fragment': 'The address must not have a fragment, which begins with “#”.',
  'problem.file_only': 'This belongs to the configuration file alone. Write it there.',
  'problem.private_by_file_only':
    'This is possible only where the configuration file says “admin: { allow_private: true }”.',
  'problem.file_out_of_reach':
    'Only files below the folder of the configuration file or the data folder can be named here.',
  'problem.overridden_by_file':
    'This is not used: the configuration file has it too, and the file wins. Remove one of the two.',
  'problem.set_by_gateway': 'The gateway sets this itself. Leave it out.',
  'problem.stored_secret_unknown': 'No secret that ends so is stored here. Write it whole.',
  'problem.stored_secret_not_sent': 'Enter this secret again: it would go to another address now.',
  'problem.sealed_by_other_secret':
    'This secret was stored under another HEADGATE_SECRET. Enter it again, or start the gateway with that one.',
  'problem.wrong_type.string': 'This must be a text.',
  'problem.wrong_type.number': 'This must be a number.',
  'problem.wrong_type.integer': 'This must be a whole number.',
  'problem.wrong_type.boolean': 'This must be true or false.',
  'problem.wrong_type.array': 'This must be a list.',
  'problem.wrong_type.object': 'This must be a map of names to values.',
  'problem.wrong_format.duration': 'This must be a duration with its unit, such as 500ms, 10s, 5m or 1h.',
  'problem.wrong_format.size': 'This must be a size with its unit, such as 512KB, 32MB or 1GB.',
  'problem.wrong_format.time': 'This must be a time such as 2027-01-01 or 2027-01-01T00:00:00Z.',
  'problem.wrong_format.time_zone': 'This must be a time zone such as UTC or Europe/Berlin.',
  'problem.wrong_format.expiry': 'This must be a time such as 2027-01-01, or a span such as 30d.',
  'problem.wrong_format.usd':
    'This must be an amount in US dollars such as 5 or 0.25, with at most nine decimals.',
  'problem.wrong_format.web_address':
    'This must be an address that begins with http:// or https://, without user and password.',
  'problem.wrong_format.proxy_address':
    'This must be the address of a proxy such as http://proxy:3128, without a path.',
  'problem.wrong_format.ip_range': 'This must be an address or a range, such as 10.0.0.0/8 or 2001:db8::/32.',
  'problem.wrong_format.name': 'This must be 1 to 64 printable characters, with no space at either end.',
  'problem.wrong_format.name_of_word_characters':
    'This must be 1 to 64 letters of English, digits, “.”, “_” or “-”.',
  'problem.wrong_format.channel_name':
    'This must be 1 to 64 letters of English, digits, “.”, “_”, “:” or “-”, and begin with a letter or a digit.',
  'problem.wrong_format.model_name':
    'This must be 1 to 256 printable characters, with no space at either end.',
  'problem.wrong_format.budget_name': 'This must be 1 to 64 letters, digits, “.”, “_” or “-”.',
  'problem.wrong_format.tag_name': 'This must be lower-case letters of English, digits, “.”, “_” or “-”.',
  'problem.wrong_format.tag_value': 'This must be printable characters, and not too many.',
  'problem.wrong_format.header_name': 'This is not the name of a header.',
  'problem.wrong_format.header_value': 'This must be printable characters of ASCII on one line.',
  'problem.wrong_format.budget_scope':
    'This must be installation, or one of user, group, key, model, channel and tag with a name, such as user:alice.',
  'problem.wrong_format.budget_window':
    'This must be a window by the calendar such as day or month, total, or a span such as rolling 5h.',
  'problem.wrong_format.target':
    'This must be a channel and a model with a slash between, such as primary/gpt-4o.',
  'problem.wrong_format.key': 'This must be printable characters of ASCII without spaces.',
  'problem.wrong_format.webhook_secret': 'This must be “whsec_” and the base64 of 24 to 64 random bytes.',
  'problem.wrong_format.routing_key':
    'This must be the integration key of an Events API v2 integration, 32 letters and digits.',
  'problem.wrong_format.regular_expression':
    'This must be a regular expression of JavaScript, of at most 500 characters.',
  'problem.wrong_format.one_line': 'This must be a text of 1 to 500 characters on one line.',
  'problem.wrong_format.path_pattern':
    'This must be a path below the address, such as /vector_stores/*. “*” is one segment or a part of it, “**” at the end is the rest.',
  'problem.wrong_format.path_segment':
    'This must be 1 to 128 letters of English, digits, “.”, “_”, “:”, “@” or “-”.',
  'problem.wrong_format.time_of_day': 'This must be a time of day in UTC, such as 16:30.',
  'problem.wrong_format.multiplier':
    'This must be a number from 0 to 1000, such as 1.1, with at most six decimals.',
  'problem.wrong_format.chosen_secret':
    'This must be 16 to 512 printable characters, with no space at either end.',
  'problem.too_small': 'This must be at least {minimum}.',
  'problem.not_above': 'This must be above {minimum}.',
  'problem.too_short': 'This is too short. Its fewest characters: {minimum}.',
  'problem.too_few': 'This has too few entries. The fewest: {minimum}.',
  'problem.too_large': 'This must be at most {maximum}.',
  'problem.not_below': 'This must be below {maximum}.',
  'problem.too_long': 'This is too long. The limit in characters: {maximum}.',
  'problem.too_many': 'This has too many entries. The limit: {maximum}.',
  'problem.out_of_range': 'This must be between {minimum} and {maximum}.',
  'problem.below_minimum': 'This must be at least {minimum}.',
  'problem.unknown_value': 'This must be one of {values}.',
  'problem.no_alternative': 'This must be one of these: {allowed}.',
  'problem.type.string': 'a text',
  'problem.type.number': 'a number',
  'problem.type.integer': 'a whole number',
  'problem.type.boolean': 'true or false',
  'problem.type.array': 'a list',
  'problem.type.object': 'a map of names to values',
  'problem.unknown_field': 'This field is not known.',
  'problem.unknown_name.group': 'There is no group {name}.',
  'problem.unknown_name.channel': 'There is no channel {name}.',
  'problem.unknown_name.model': 'There is no model {name} here.',
  'problem.unknown_name.provider': 'There is no provider {name}.',
  'problem.unknown_name.credential': 'The provider has no credential {name}.',
  'problem.needs_field': 'This has no effect without {field}.',
  'problem.excluded_by_field': 'This does not go with what {field} says.',
  'problem.above_field': 'This must not be more than {field}.',
  'problem.below_field': 'This must be at least as much as {field}.',
  'problem.not_after_field': 'This must be after {field}.',
  'problem.not_exactly_one': 'Give exactly one of {fields}.',
  'problem.needed_by_provider': 'The provider {provider} needs this.',
  'problem.not_of_provider': 'The provider {provider} has no such thing. Leave it out.',
  'problem.wrong_for_provider': 'This has not the form that the provider {provider} needs.',
  'problem.fallback_circle': 'The fallbacks go in a circle: {circle}. Break it.',
  'problem.nearest': 'Did you mean {nearest}?',
} as const
