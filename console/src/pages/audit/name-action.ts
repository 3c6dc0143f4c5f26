import { findText } from '../../language/language.ts'

/** An action in words. One that a newer gateway has stands as its code. */
export function nameAction(action: string): string {
  return findText(`audit.action.${action}`) ?? action
}
