import {
  type ChangeEvent,
  type FocusEvent,
  type KeyboardEvent,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { flushSync } from 'react-dom'
import { t } from '../language/language.ts'
import { Icon } from '../ui/icon.tsx'
import { Field, type FieldTexts } from './field.tsx'
import { Suggestions } from './inputs.tsx'
import type { Binding } from './use-form.ts'

interface WordsInputProps extends Omit<FieldTexts, 'error'> {
  readonly field: Binding<readonly string[]>
  readonly suggestions?: readonly string[]
  readonly placeholder?: string
  /** A warning about the words. It does not block sending, as the gateway decides whether they are valid. */
  readonly warning?: string | undefined
}

/**
 * A list of words. A word is added with Enter, a comma, a suggestion or by leaving the field or the page, and removed
 * by its button, which leaves the focus to the field.
 */
export function WordsInput({ field, suggestions = [], placeholder, warning, ...texts }: WordsInputProps) {
  const { value: words, onChange: change } = field
  const [typed, setTyped] = useState('')
  const list = useId()
  const input = useRef<HTMLInputElement>(null)
  const remove = (word: string) => {
    input.current?.focus()
    change(words.filter((each) => each !== word))
  }
  const add = (text: string) => {
    const added = text.split(/[,\s]+/).filter((word) => word !== '' && !words.includes(word))
    if (added.length > 0) change([...words, ...new Set(added)])
    setTyped('')
  }
  useBeforePageIsLeft(() => add(typed))
  const onChange = ({ target, nativeEvent }: ChangeEvent<HTMLInputElement>) => {
    if (isPick(nativeEvent) && suggestions.includes(target.value)) add(target.value)
    else setTyped(target.value)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter' || event.key === ',') {
      event.preventDefault()
      add(typed)
    }
    if (event.key === 'Backspace' && typed === '') change(words.slice(0, -1))
  }
  // The word is added after the next control has the focus. Otherwise the suggestion is removed first, the focus
  // moves to the dialog, and what the user types next is lost.
  const onBlur = ({ relatedTarget: next }: FocusEvent<HTMLInputElement>) => {
    if (next === null) add(typed)
    else next.addEventListener('focus', () => add(typed), { once: true })
  }
  return (
    <Field {...texts} error={field.error ?? warning}>
      {(ties) => (
        <div className="input-frame flex flex-wrap items-center gap-1.5 p-1.5 focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-accent">
          {words.map((word) => (
            <Word key={word} word={word} onRemove={() => remove(word)} />
          ))}
          <input
            {...ties}
            ref={input}
            value={typed}
            onChange={onChange}
            onKeyDown={onKeyDown}
            onBlur={onBlur}
            list={list}
            autoComplete="off"
            spellCheck={false}
            placeholder={words.length === 0 ? placeholder : undefined}
            className="min-w-28 flex-1 bg-transparent px-1 outline-none"
          />
          <Suggestions id={list} texts={suggestions.filter((text) => !words.includes(text))} />
        </div>
      )}
    </Field>
  )
}

/** Calls the latest `change` when the page is left or loaded again. */
function useBeforePageIsLeft(change: () => void): void {
  const latest = useRef(change)
  latest.current = change
  useEffect(() => {
    // The page does not draw again before it is left, and what is not drawn is not stored.
    const changeLast = () => flushSync(() => latest.current())
    window.addEventListener('pagehide', changeLast)
    return () => window.removeEventListener('pagehide', changeLast)
  }, [])
}

/** Whether a suggestion was picked. Browsers report that as a replacement, or with no input type at all. */
function isPick(event: Event): boolean {
  return !(event instanceof InputEvent) || event.inputType === 'insertReplacementText'
}

function Word({ word, onRemove }: { readonly word: string; readonly onRemove: () => void }) {
  return (
    <span className="inline-flex max-w-full items-center gap-0.5 rounded-md bg-accent-soft py-0.5 pr-0.5 pl-2 text-accent">
      <span className="truncate">{word}</span>
      <button
        type="button"
        aria-label={t('form.remove_word', { word })}
        onClick={onRemove}
        className="inline-flex size-6 items-center justify-center rounded hover:bg-hover"
      >
        <Icon name="close" className="size-3.5" />
      </button>
    </span>
  )
}
