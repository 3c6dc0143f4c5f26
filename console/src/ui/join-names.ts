import { t } from '../language/language.ts'

const MAX_NAMES = 10

interface NamesAndMore {
  readonly names: readonly string[]
  readonly more: number
}

/** The first names, and how many more there are. */
export function joinFirstNames(names: readonly string[], separator = ', '): string {
  const shown = names.slice(0, MAX_NAMES)
  return joinWithMore({ names: shown, more: names.length - shown.length }, separator)
}

/** Names, and how many more there are that are not listed. */
export function joinWithMore({ names, more }: NamesAndMore, separator = ', '): string {
  const listed = names.join(separator)
  return more === 0 ? listed : t('names.more', { names: listed, count: more })
}
