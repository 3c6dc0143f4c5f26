import { findText, t } from './language.ts'

/** The rows of a report that have no name in a dimension, such as "No group". */
export function nameWithout(dimension: string | undefined): string {
  if (dimension?.startsWith('tag:')) return t('usage.without.tag', { name: dimension.slice('tag:'.length) })
  return findText(`usage.without.${dimension}`) ?? t('common.none')
}
