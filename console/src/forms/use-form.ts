import {
  type Dispatch,
  type FormEvent,
  type SetStateAction,
  useCallback,
  useEffect,
  useRef,
  useState,
} from 'react'
import { flushSync } from 'react-dom'
import type { ZodType } from 'zod'
import type { ApiError } from '../api/api-error.ts'
import { tabStorage } from '../browser/browser-storage.ts'
import { readFaults } from './read-faults.ts'

/** The values of a form, as they are typed. */
export type FormValues = Readonly<Record<string, unknown>>
type Errors = Readonly<Record<string, string>>

export interface FormOptions<Values extends FormValues, Output> {
  /** The name under which this tab remembers what was typed, until it is sent. */
  readonly name: string
  readonly initial: Values
  readonly schema: ZodType<Output>
  /** Fields that are never remembered. */
  readonly secrets?: readonly (keyof Values & string)[]
  /** The values without secrets within fields, which are never remembered either. */
  readonly withoutSecrets?: (values: Values) => Values
  /** The field of each parameter that the gateway may find wrong, where the names differ. */
  readonly fieldOf?: (param: string) => string
  /** The text of a refusal in the words of the form; undefined where the gateway's own words do. */
  readonly explain?: (error: ApiError) => string | undefined
  /** Sends what was typed, once it is right. What it fails with is shown beside the field or above the form. */
  readonly submit: (output: Output, mode: SubmitMode) => Promise<unknown>
}

/** Whether what was typed counts at once, or becomes part of a draft. */
export type SubmitMode = 'apply' | 'draft'

export interface Form<Values extends FormValues> {
  readonly id: string
  readonly values: Values
  readonly errors: Errors
  /** The fault of the whole, which belongs to no field. */
  readonly problem: string | undefined
  readonly isBusy: boolean
  /** Whether what is shown was typed before the page was loaded. */
  readonly isRestored: boolean
  /** Whether it holds something typed that was not sent. */
  readonly isTyped: boolean
  set<Name extends keyof Values & string>(name: Name, value: Values[Name]): void
  /** Gives an input what it needs to show and change a field. */
  bind<Name extends keyof Values & string>(name: Name): Binding<Values[Name]>
  submit(event?: FormEvent): Promise<void>
  /** Sends it to become part of a draft. */
  submitToDraft(): Promise<void>
  /** Does something else with what was typed, once it is right; the form stays as it is. Faults show as of `submit`. */
  attempt(work: () => Promise<unknown>): Promise<void>
  /** Forgets what was typed. */
  reset(): void
}

/** A field of a form as an input has it. */
export interface Binding<Value> {
  readonly name: string
  readonly value: Value
  readonly error: string | undefined
  readonly onChange: (value: Value) => void
}

interface State<Values> {
  readonly values: Values
  readonly errors: Errors
  readonly problem?: string | undefined
  readonly isBusy: boolean
  readonly isRestored: boolean
  /** Whether it was sent once: from then on each change is checked at once. */
  readonly isChecked: boolean
  /** Whether the user typed something that was not sent. What only came from the gateway is not remembered. */
  readonly isTyped: boolean
}

/**
 * A form that checks by a schema, survives a reload of the page, and leads to the first field that is wrong.
 */
export function useForm<Values extends FormValues, Output>(
  options: FormOptions<Values, Output>,
): Form<Values> {
  const { name, initial } = options
  const [state, setState] = useState<State<Values>>(() => openState(name, initial))
  const latest = useRef({ state, options })
  latest.current = { state, options }
  useEffect(() => {
    if (!state.isTyped) return
    const { secrets = [], withoutSecrets = (values) => values, ...before } = latest.current.options
    remember(name, { values: withoutSecrets(state.values), initial: withoutSecrets(before.initial), secrets })
  }, [state.values, state.isTyped, name])

  const set = useCallback<Form<Values>['set']>((field, value) => {
    setState((before) => {
      const values = { ...before.values, [field]: value }
      const errors = before.isChecked ? check(latest.current.options.schema, values).errors : before.errors
      return { ...before, values, errors, problem: undefined, isTyped: true }
    })
  }, [])

  const reset = useCallback(() => {
    tabStorage.remove(`form.${name}`)
    setState(freshState(initial))
  }, [name, initial])

  const send = (mode: SubmitMode) => sendForm({ state, setState, options }, mode)
  const submit = (event?: FormEvent) => {
    event?.preventDefault()
    return send('apply')
  }
  const submitToDraft = () => send('draft')
  const { isChecked: _, ...shown } = state
  const { values, errors } = state
  return {
    id: name,
    problem: undefined,
    ...shown,
    isTyped: state.isTyped && JSON.stringify(state.values) !== JSON.stringify(initial),
    set,
    submit,
    submitToDraft,
    attempt: (work) => attemptForm({ state, setState, options }, work),
    reset,
    bind: (field) => ({
      name: field,
      value: values[field],
      error: findError(errors, field, values[field]),
      onChange: (value) => set(field, value),
    }),
  }
}

/** The error of a field. A list of words shows the first error of its words, since they have no place of their own. */
function findError(errors: Errors, field: string, value: unknown): string | undefined {
  const isWords = Array.isArray(value) && value.every((word) => typeof word === 'string')
  const ofWord = isWords ? Object.keys(errors).find((name) => name.startsWith(`${field}.`)) : undefined
  return errors[field] ?? (ofWord === undefined ? undefined : errors[ofWord])
}

interface Sending<Values extends FormValues, Output> {
  readonly state: State<Values>
  readonly setState: Dispatch<SetStateAction<State<Values>>>
  readonly options: FormOptions<Values, Output>
}

async function sendForm<Values extends FormValues, Output>(
  sending: Sending<Values, Output>,
  mode: SubmitMode,
): Promise<void> {
  const { state, setState, options } = sending
  const checked = state.isBusy ? undefined : checkForm(sending)
  if (checked === undefined) return
  setState({ ...state, errors: {}, problem: undefined, isBusy: true })
  try {
    await options.submit(checked.value, mode)
    tabStorage.remove(`form.${options.name}`)
    setState((before) => freshState(before.values))
  } catch (error) {
    showFault(error, sending)
  }
}

async function attemptForm<Values extends FormValues, Output>(
  sending: Sending<Values, Output>,
  work: () => Promise<unknown>,
): Promise<void> {
  if (sending.state.isBusy || checkForm(sending) === undefined) return
  sending.setState((before) => ({ ...before, errors: {}, problem: undefined }))
  try {
    await work()
  } catch (error) {
    showFault(error, sending)
  }
}

/** Reads what was typed by the schema. Undefined where it is wrong, which is then shown. */
function checkForm<Values extends FormValues, Output>(
  sending: Sending<Values, Output>,
): Checked<Output>['output'] {
  const { state, setState, options } = sending
  const { output, errors, problem } = check(options.schema, state.values)
  if (output !== undefined) return output
  flushSync(() => setState({ ...state, errors, problem, isChecked: true }))
  leadToFault(errors, sending)
  return undefined
}

function showFault<Values extends FormValues, Output>(
  error: unknown,
  sending: Sending<Values, Output>,
): void {
  const found = readFaults(error, sending.options)
  flushSync(() => sending.setState((before) => ({ ...before, ...found, isBusy: false, isChecked: true })))
  leadToFault(found.errors, sending)
}

/** A form of which nothing was typed. */
function freshState<Values>(values: Values): State<Values> {
  return { values, errors: {}, isBusy: false, isRestored: false, isChecked: false, isTyped: false }
}

function openState<Values extends FormValues>(name: string, initial: Values): State<Values> {
  const fresh = freshState(initial)
  const stored = tabStorage.read(`form.${name}`)
  if (stored === undefined) return fresh
  try {
    const typed: unknown = JSON.parse(stored)
    if (typeof typed !== 'object' || typed === null) return fresh
    return { ...fresh, values: { ...initial, ...typed }, isRestored: true, isTyped: true }
  } catch {
    // Another version of the page wrote it: the form begins anew.
    return fresh
  }
}

interface Remembered {
  readonly values: FormValues
  readonly initial: FormValues
  readonly secrets: readonly string[]
}

function remember(name: string, { values, initial, secrets }: Remembered): void {
  const write = (all: FormValues) =>
    JSON.stringify(Object.fromEntries(Object.entries(all).filter(([field]) => !secrets.includes(field))))
  const typed = write(values)
  if (typed === write(initial)) tabStorage.remove(`form.${name}`)
  else tabStorage.write(`form.${name}`, typed)
}

interface Checked<Output> {
  readonly output: { readonly value: Output } | undefined
  readonly errors: Errors
  readonly problem: string | undefined
}

function check<Output>(schema: ZodType<Output>, values: FormValues): Checked<Output> {
  const read = schema.safeParse(values)
  if (read.success) return { output: { value: read.data }, errors: {}, problem: undefined }
  const errors: Record<string, string> = {}
  let problem: string | undefined
  for (const { path, message } of read.error.issues) {
    const field = path.map(String).join('.')
    if (field === '') problem ??= message
    else errors[field] ??= message
  }
  return { output: undefined, errors, problem }
}

/**
 * Moves the focus to the first of the errors, which are drawn, also where it was folded away. A fault of a field that
 * the form does not show is one of the whole.
 */
function leadToFault<Values extends FormValues, Output>(
  errors: Errors,
  { setState, options }: Sending<Values, Output>,
): void {
  const wrong = document.querySelector<HTMLElement>(`form[id="${options.name}"] [aria-invalid="true"]`)
  const [problem] = Object.values(errors)
  if (wrong === null && problem !== undefined) setState((before) => ({ ...before, problem }))
  wrong?.closest('details')?.setAttribute('open', '')
  wrong?.focus()
}
