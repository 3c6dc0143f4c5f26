import { findText, t } from './language.ts'

/** The name for report rows without a value in a dimension, such as "No group". */
export function nameWithout(dimension: string | undefined): string {
  if (dimension?.startsWith('tag:')) return t('usage.without.tag', { name: dimension.slice('tag:'.length) })
  return findText(`usage.without.${dimension}`) ?? t('common.none')
}
