import { createContext, useContext, useEffect, useRef, useState } from 'react'

/** Clears the typed values of a form. */
type Forget = () => void

/** The forms of the enclosing dialog. Undefined outside of dialogs. */
export const TypedFormsContext = createContext<Set<Forget> | undefined>(undefined)

export function useTypedForms(): Set<Forget> {
  const [forms] = useState(() => new Set<Forget>())
  return forms
}

/** Registers a form with its dialog while the form has unsent values, so that the dialog asks before it closes. */
export function useTypedForm(isTyped: boolean, forget: Forget): void {
  const forms = useContext(TypedFormsContext)
  const latest = useRef(forget)
  useEffect(() => {
    latest.current = forget
  })
  useEffect(() => {
    if (!isTyped || forms === undefined) return
    const forgetTyped = () => latest.current()
    forms.add(forgetTyped)
    return () => {
      forms.delete(forgetTyped)
    }
  }, [forms, isTyped])
}
