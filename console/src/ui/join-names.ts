import { t } from '../language/language.ts'

const MAX_NAMES = 10

interface NamesAndMore {
  readonly names: readonly string[]
  readonly more: number
}

/** Joins the first names and adds the number of those left out. */
export function joinFirstNames(names: readonly string[], separator = ', '): string {
  const shown = names.slice(0, MAX_NAMES)
  return joinWithMore({ names: shown, more: names.length - shown.length }, separator)
}

/** Joins names and adds the number of names that are not listed. */
export function joinWithMore({ names, more }: NamesAndMore, separator = ', '): string {
  const listed = names.join(separator)
  return more === 0 ? listed : t('names.more', { names: listed, count: more })
}
