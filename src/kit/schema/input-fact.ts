/** A fault of a value, for programs. The sentence beside it is for people, and may say more. */
export type InputFact =
  | Fact<PlainFact, NoValues>
  | Fact<'wrong_type', { readonly expected: string }>
  | Fact<'wrong_format', { readonly format: InputFormat }>
  | Fact<'too_small' | 'not_above' | 'too_short' | 'too_few', { readonly minimum: number }>
  | Fact<'too_large' | 'not_below' | 'too_long' | 'too_many', { readonly maximum: number }>
  /** Bounds with a unit, such as `1ms` and `24d`. */
  | Fact<'out_of_range', { readonly minimum: string; readonly maximum: string }>
  /** One bound with a unit, such as `1s` or `128MB`. */
  | Fact<'below_minimum', { readonly minimum: string }>
  | Fact<'unknown_value', { readonly values: readonly string[] }>
  | Fact<'no_alternative', Alternatives>
  | Fact<'unknown_field', { readonly nearest?: string }>
  | Fact<'unknown_name', { readonly kind: NamedKind; readonly name: string; readonly nearest?: string }>
  /** `needs_field`: it says nothing without that field; `excluded_by_field`: it does not go with it. */
  | Fact<FieldFact, { readonly field: string }>
  | Fact<'not_exactly_one', { readonly fields: readonly string[] }>
  | Fact<'needed_by_provider' | 'not_of_provider' | 'wrong_for_provider', { readonly provider: string }>
  /** The first name is also the last. */
  | Fact<'fallback_circle', { readonly models: readonly string[] }>

type Fact<Code extends string, Values> = { readonly code: Code; readonly values: Values }

type NoValues = Readonly<Record<string, never>>

type FieldFact = 'needs_field' | 'excluded_by_field' | 'above_field' | 'below_field' | 'not_after_field'

/** The allowed values and types of a field that may have several types. An empty list is left out. */
export type Alternatives = {
  /** The single values, such as `off`. */
  readonly values?: readonly string[]
  /** The types, by their names in JSON. */
  readonly types?: readonly string[]
}

/** The codes of facts that have no values. */
export const plainFacts = [
  'required',
  'empty',
  'repeated',
  'reserved_name',
  'fixed_name',
  'in_past',
  'weak_password',
  'wrong_code',
  'nothing_to_raise',
  'nothing_to_change',
  'matches_empty_text',
  'private_address',
  'address_with_credentials',
  'address_with_query',
  'address_with_fragment',
  'file_only',
  'private_by_file_only',
  'file_out_of_reach',
  'overridden_by_file',
  'set_by_gateway',
  'stored_secret_unknown',
  'stored_secret_not_sent',
  'sealed_by_other_secret',
] as const
type PlainFact = (typeof plainFacts)[number]

export function isPlainFact(name: unknown): name is PlainFact {
  return plainFacts.some((known) => known === name)
}

/** The forms of texts that facts name. */
export const inputFormats = [
  'duration',
  'size',
  'time',
  'time_zone',
  'expiry',
  'usd',
  'web_address',
  'proxy_address',
  'ip_range',
  'name',
  'name_of_word_characters',
  'channel_name',
  'model_name',
  'budget_name',
  'tag_name',
  'tag_value',
  'header_name',
  'header_value',
  'budget_scope',
  'budget_window',
  'target',
  'key',
  'webhook_secret',
  'routing_key',
  'regular_expression',
  'one_line',
  'path_pattern',
  'path_segment',
  'time_of_day',
  'multiplier',
  'chosen_secret',
  'usage_dimensions',
  'tag_list',
  'console_page',
] as const
export type InputFormat = (typeof inputFormats)[number]

/** The kinds of objects that others are referred to by name. */
export const namedKinds = [
  'group',
  'channel',
  'model',
  'provider',
  'credential',
  'user_limit',
  'budget',
  'rule',
  'receiver',
  'open_code',
] as const
export type NamedKind = (typeof namedKinds)[number]

const facts = new Map<string, InputFact>()

/**
 * Registers the fact of a sentence and returns the sentence. A schema passes only sentences on to the code that
 * describes a refusal. Messages that the schema library writes itself, such as a bound, need no fact. Call it only
 * while a module loads, with a constant sentence: registered facts are never removed.
 */
export function withFact(sentence: string, fact: InputFact): string {
  facts.set(sentence, fact)
  return sentence
}

/** The same for a sentence about the form of a text. */
export function withFormat(sentence: string, format: InputFormat): string {
  return withFact(sentence, { code: 'wrong_format', values: { format } })
}

/** The fact of a name that nothing has; `nearest` is the one that was likely meant. */
export function unknownName(kind: NamedKind, name: string, nearest: string | undefined): InputFact {
  return { code: 'unknown_name', values: { kind, name, ...(nearest !== undefined && { nearest }) } }
}

/** The fact of a problem: its own, or that of its sentence. */
export function factOf({ message, fact }: Problem): InputFact | undefined {
  return fact ?? facts.get(message)
}

interface Problem {
  readonly message: string
  readonly fact?: InputFact | undefined
}
