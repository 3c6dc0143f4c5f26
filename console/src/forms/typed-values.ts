import { tabStorage } from '../browser/browser-storage.ts'

type Values = Readonly<Record<string, unknown>>

interface Typed<FormValues extends Values> {
  readonly values: FormValues
  /** The values before anything was typed. */
  readonly initial: FormValues
}

interface Remembered extends Typed<Values> {
  readonly secrets: readonly string[]
}

/**
 * Stores what is typed into a form until the tab is closed. The initial values are stored with it: what differs from
 * them is what the user changed, and no change that another user makes in the meantime.
 */
export function rememberTyped(name: string, { values, initial, secrets }: Remembered): void {
  const plain = (all: Values) =>
    Object.fromEntries(Object.entries(all).filter(([field]) => !secrets.includes(field)))
  const typed = { values: plain(values), initial: plain(initial) }
  if (JSON.stringify(typed.values) === JSON.stringify(typed.initial)) forgetTyped(name)
  else tabStorage.write(nameOf(name), JSON.stringify(typed))
}

/** Reads the values that were typed before a reload of the page. Undefined if there are none. */
export function restoreTyped<FormValues extends Values>(
  name: string,
  initial: FormValues,
): Typed<FormValues> | undefined {
  const stored = readStored(tabStorage.read(nameOf(name)))
  if (!isMembers(stored) || !isMembers(stored['values']) || !isMembers(stored['initial'])) return undefined
  return { values: complete(stored['values'], initial), initial: complete(stored['initial'], initial) }
}

export function forgetTyped(name: string): void {
  tabStorage.remove(nameOf(name))
}

const nameOf = (form: string) => `form.${form}`

function readStored(text: string | undefined): unknown {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    // Another program stored the text, so the form starts empty.
    return undefined
  }
}

/** The stored values, and those of the form where none is stored: for new fields and for secrets. */
function complete<FormValues extends Values>(stored: Values, initial: FormValues): FormValues {
  const groups = Object.entries(stored).map(([name, value]) => {
    const initialValue = initial[name]
    return [name, isMembers(value) && isMembers(initialValue) ? { ...initialValue, ...value } : value]
  })
  return { ...initial, ...Object.fromEntries(groups) }
}

function isMembers(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
