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
import type { TaggedAnswer } from '../api/call-api.ts'
import { t } from '../language/language.ts'
import { type Checked, check } from './check-values.ts'
import { copyFields } from './find-conflicts.ts'
import { readFaults } from './read-faults.ts'
import { type OtherChanges, submitForNow } from './submit-for-now.ts'
import { forgetTyped, rememberTyped, restoreTyped } from './typed-values.ts'

/** The values of a form, as typed. */
export type FormValues = Readonly<Record<string, unknown>>
type Errors = Checked<unknown>['errors']

export interface FormOptions<Values extends FormValues, Output> {
  /** The name under which this tab stores the typed values until they are sent. */
  readonly name: string
  readonly initial: Values
  readonly schema: ZodType<Output>
  /** Fields that are never stored. */
  readonly secrets?: readonly (keyof Values & string)[]
  /** Removes secrets within fields, which are never stored either. */
  readonly withoutSecrets?: (values: Values) => Values
  /** Maps a parameter that the gateway rejects to its field, if the names differ. */
  readonly fieldOf?: (param: string) => string
  /** The error message in the words of the form. Undefined to show the gateway's own message. */
  readonly explain?: (error: ApiError) => string | undefined
  /** Reads the values that the object has now, so that no change by another user is overwritten unseen. */
  readonly reread?: (() => Promise<TaggedAnswer<Values>>) | undefined
  /**
   * Sends the valid values. An error is shown at its field or above the form. `ifMatch` is the ETag of the state that
   * was read again, for the request that changes the object.
   */
  readonly submit: (output: Output, mode: SubmitMode, ifMatch: string | undefined) => Promise<unknown>
}

/** Whether the change is applied at once or added to a draft. */
export type SubmitMode = 'apply' | 'draft'

export interface Form<Values extends FormValues> {
  readonly id: string
  readonly values: Values
  /** The values before anything was typed, also after a reload. A change is what differs from them. */
  readonly initial: Values
  readonly errors: Errors
  /** The error of the whole form, which belongs to no field. */
  readonly problem: string | undefined
  readonly isBusy: boolean
  /** Whether another user changed fields that the user changed, too. The next submit overwrites them. */
  readonly isConflict: boolean
  /** Whether the shown values were typed before the page was reloaded. */
  readonly isRestored: boolean
  /** Whether the form has typed values that were not sent. */
  readonly isTyped: boolean
  set<Name extends keyof Values & string>(name: Name, value: Values[Name]): void
  /** Returns the props with which an input shows and changes a field. */
  bind<Name extends keyof Values & string>(name: Name): Binding<Values[Name]>
  submit(event?: FormEvent): Promise<void>
  /** Adds the change to a draft. */
  submitToDraft(): Promise<void>
  /** Runs `work` if the values are valid, without resetting the form. Errors are shown as for `submit`. */
  attempt(work: () => Promise<unknown>): Promise<void>
  /** Shows what another user entered in the fields in conflict, instead of what was typed. */
  showTheirs(): void
  /** Clears the typed values. */
  reset(): void
}

/** The props of an input for a field of a form. */
export interface Binding<Value> {
  readonly name: string
  readonly value: Value
  readonly error: string | undefined
  readonly onChange: (value: Value) => void
}

interface State<Values> {
  readonly values: Values
  readonly initial: Values
  readonly errors: Errors
  readonly problem?: string | undefined
  /** The fields that another user changed, too. `initial` has their values by another user. */
  readonly conflicts: readonly string[]
  readonly isBusy: boolean
  readonly isRestored: boolean
  /** Whether the form was submitted once. From then on each change is validated at once. */
  readonly isChecked: boolean
  /** Whether the user typed values that were not sent. Values that came from the gateway are not stored. */
  readonly isTyped: boolean
}

/** A form that is validated by a schema, survives a reload of the page, and focuses the first invalid field. */
export function useForm<Values extends FormValues, Output>(
  options: FormOptions<Values, Output>,
): Form<Values> {
  const { name, initial } = options
  const [state, setState] = useState<State<Values>>(() => openState(name, initial))
  const latest = useRef({ state, options })
  latest.current = { state, options }
  useEffect(() => {
    if (!state.isTyped) return
    const { secrets = [], withoutSecrets = (values) => values } = latest.current.options
    const [values, initial] = [withoutSecrets(state.values), withoutSecrets(state.initial)]
    rememberTyped(name, { values, initial, secrets })
  }, [state.values, state.initial, state.isTyped, name])

  const set = useCallback<Form<Values>['set']>((field, value) => {
    setState((before) => {
      const values = { ...before.values, [field]: value }
      const errors = before.isChecked ? check(latest.current.options.schema, values).errors : before.errors
      return { ...before, values, errors, problem: undefined, isTyped: true }
    })
  }, [])

  const reset = useCallback(() => {
    forgetTyped(name)
    setState(freshState(initial))
  }, [name, initial])

  const send = (mode: SubmitMode) => sendForm({ state, setState, options }, mode)
  const submit = (event?: FormEvent) => {
    event?.preventDefault()
    return send('apply')
  }
  const submitToDraft = () => send('draft')
  const { isChecked: _, conflicts, ...shown } = state
  const { values, errors } = state
  return {
    id: name,
    problem: undefined,
    ...shown,
    isConflict: conflicts.length > 0,
    isTyped: state.isTyped && JSON.stringify(state.values) !== JSON.stringify(state.initial),
    set,
    submit,
    submitToDraft,
    attempt: (work) => attemptForm({ state, setState, options }, work),
    showTheirs: () => setState(withTheirs),
    reset,
    bind: (field) => ({
      name: field,
      value: values[field],
      error: findError(errors, field, values[field]),
      onChange: (value) => set(field, value),
    }),
  }
}

/** The error of a field. A list of words shows the first error of its words, as single words cannot show one. */
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
  setState({ ...state, errors: {}, problem: undefined, conflicts: [], isBusy: true })
  try {
    const edited = { initial: state.initial, typed: state.values }
    const changes = await submitForNow(edited, options.reread, (ifMatch) =>
      options.submit(checked.value, mode, ifMatch),
    )
    if (changes !== undefined) return showConflict(changes, sending)
    forgetTyped(options.name)
    setState((before) => freshState(before.values))
  } catch (error) {
    showFault(error, sending)
  }
}

/** The state with what another user entered in the fields in conflict. */
function withTheirs<Values extends FormValues>(state: State<Values>): State<Values> {
  const values = copyFields(state.values, state.conflicts, state.initial)
  return { ...state, values, errors: {}, conflicts: [] }
}

/** Marks the fields in conflict. The values by another user become the initial ones, so that the next submit knows them. */
function showConflict<Values extends FormValues, Output>(
  { conflicts, now }: OtherChanges<Values>,
  sending: Sending<Values, Output>,
): void {
  const errors = Object.fromEntries(conflicts.map((path) => [path, t('form.conflict.field')]))
  flushSync(() =>
    sending.setState((before) => ({
      ...before,
      errors,
      conflicts,
      initial: copyFields(before.initial, conflicts, now),
      isBusy: false,
    })),
  )
  focusFault(sending)
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

/** Validates the typed values by the schema. If they are invalid, shows the errors and returns undefined. */
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
  const faults = readFaults(error, sending.options)
  flushSync(() => sending.setState((before) => ({ ...before, ...faults, isBusy: false, isChecked: true })))
  leadToFault(faults.errors, sending)
}

/** The state of a form before anything is typed. */
function freshState<Values>(values: Values): State<Values> {
  return {
    values,
    initial: values,
    errors: {},
    conflicts: [],
    isBusy: false,
    isRestored: false,
    isChecked: false,
    isTyped: false,
  }
}

function openState<Values extends FormValues>(name: string, initial: Values): State<Values> {
  const fresh = freshState(initial)
  const restored = restoreTyped(name, initial)
  return restored === undefined ? fresh : { ...fresh, ...restored, isRestored: true, isTyped: true }
}

/**
 * Moves the focus to the first invalid field, and opens the section that contains it if that is collapsed. The errors
 * are already rendered. An error of a field that the form does not show becomes the error of the whole form.
 */
function leadToFault<Values extends FormValues, Output>(
  errors: Errors,
  sending: Sending<Values, Output>,
): void {
  const [problem] = Object.values(errors)
  if (!focusFault(sending) && problem !== undefined) sending.setState((before) => ({ ...before, problem }))
}

/** Whether the form shows an invalid field, which has the focus then. */
function focusFault<Values extends FormValues, Output>({ options }: Sending<Values, Output>): boolean {
  const wrong = document.querySelector<HTMLElement>(`form[id="${options.name}"] [aria-invalid="true"]`)
  wrong?.closest('details')?.setAttribute('open', '')
  wrong?.focus()
  return wrong !== null
}
