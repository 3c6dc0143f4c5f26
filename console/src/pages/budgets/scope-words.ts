import { findText } from '../../language/language.ts'

/** The subject of a budget or a credit in words, such as "Key ci" for `key:ci`. */
export function nameScope(scope: string): string {
  const colon = scope.indexOf(':')
  if (colon === -1) return findText(`budgets.scope.${scope}`) ?? scope
  const type = findText(`budgets.scope.${scope.slice(0, colon)}`) ?? scope.slice(0, colon)
  return `${type} ${scope.slice(colon + 1)}`
}
