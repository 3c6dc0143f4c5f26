import { createContext, useContext, useEffect, useRef, useState } from 'react'

/** Forgets what was typed into a form. */
type Forget = () => void

/** The forms of a dialog that hold something typed and not sent. */
export type TypedForms = ReadonlySet<Forget>

/** The forms of the dialog around a part of the page; undefined outside of dialogs. */
export const TypedFormsContext = createContext<Set<Forget> | undefined>(undefined)

export function useTypedForms(): Set<Forget> {
  const [forms] = useState(() => new Set<Forget>())
  return forms
}

/** Names a form to the dialog that it stands in while it holds something typed, so that the dialog asks first. */
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
