import { findText } from '../../language/language.ts'

/** An action in words. An action that only a newer gateway has is shown by its code. */
export function nameAction(action: string): string {
  return findText(`audit.action.${action}`) ?? action
}
