const MAX_NAMES = 10

/** A grant or a setting of a key that has no effect. */
export type KeyWarning =
  | { readonly type: 'unserved_model'; readonly model: string }
  | { readonly type: 'unmatched_pattern'; readonly pattern: string }
  | { readonly type: 'withheld_by_group'; readonly model: string; readonly group: string }
  | { readonly type: 'unserved_fallback'; readonly model: string }
  | { readonly type: 'ungranted_fallback'; readonly model: string }
  | { readonly type: 'unknown_group'; readonly group: string }
  | { readonly type: 'refused_for_price'; readonly models: readonly RefusedModel[] }

export interface RefusedModel {
  readonly model: string
  /** The model's text for operators. It lists channels, such as `fast (primary/my-model)`. */
  readonly text: string
}

/** The warning as a sentence for operators. `owner` names the keys that the warning is about, such as `keys: "ci"`. */
export function writeWarning(warning: KeyWarning, owner = 'it'): string {
  if (warning.type === 'refused_for_price')
    return `${writeRefusal(warning.models.map(({ text }) => text))}; ${PRICE_ADVICE}`
  const fact = writeFact(warning, owner)
  return warning.type === 'unknown_group' ? `${fact}; add it to "groups" of the configuration` : fact
}

/**
 * The warning as a sentence for the owner of the key. It leaves out channels and configuration advice, which only
 * operators need.
 */
export function writeWarningForOwner(warning: KeyWarning): string {
  return `${writeFact(warning, 'it')}; ask an owner or an admin about it`
}

function writeFact(warning: KeyWarning, owner: string): string {
  switch (warning.type) {
    case 'unserved_model':
      return `${owner} is granted "${warning.model}", which no channel serves`
    case 'unmatched_pattern':
      return `${owner} is granted "${warning.pattern}", which no served model matches`
    case 'withheld_by_group':
      return `${owner} is granted "${warning.model}", which its group "${warning.group}" is not granted`
    case 'unserved_fallback':
      return `${owner} falls back to "${warning.model}" at its limit, which no channel serves`
    case 'ungranted_fallback':
      return `${owner} falls back to "${warning.model}" at its limit, which it is not granted`
    case 'unknown_group':
      return `there is no group "${warning.group}", so the key may use nothing`
    case 'refused_for_price':
      return writeRefusal(warning.models.map(({ model }) => model))
  }
}

function writeRefusal(models: readonly string[]): string {
  return `it has a limit in money, so ${joinNames(models)} is refused to it: no price is known`
}

export const PRICE_ADVICE = 'give each a "price"'

/** Joins the first names and adds the number of those left out. */
export function joinNames(names: readonly string[], separator = ', '): string {
  const shown = names.slice(0, MAX_NAMES).join(separator)
  return names.length > MAX_NAMES ? `${shown} and ${names.length - MAX_NAMES} more` : shown
}
