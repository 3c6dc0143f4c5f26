import { type KeyboardEvent, useId } from 'react'
import { t } from '../../language/language.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { showToast } from '../../ui/toasts.tsx'

interface ComposerProps {
  readonly draft: string
  readonly images: readonly string[]
  readonly hint: string
  readonly isRunning: boolean
  readonly isBlocked: boolean
  readonly onDraft: (next: string) => void
  readonly onImages: (change: (before: readonly string[]) => readonly string[]) => void
  readonly onSend: () => void
  readonly onStop: () => void
}

const MAX_CHARACTERS = 200_000
const MAX_IMAGES = 4
/** It stays at the lower edge of a screen that has space for more. */
const FRAME =
  'bottom-0 space-y-2 rounded-xl border border-line bg-surface p-3 shadow-float sm:[@media(min-height:40rem)]:sticky'
const MAX_IMAGE_BYTES = 4 * 1024 * 1024
const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const

/** The message to all models, with its pictures. */
export function Composer(props: ComposerProps) {
  const { draft, images, hint, isRunning, isBlocked, onDraft, onImages, onSend, onStop } = props
  const fieldId = useId()
  const hintId = useId()
  const canSend = !isRunning && !isBlocked && (draft.trim() !== '' || images.length > 0)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return
    event.preventDefault()
    if (canSend) onSend()
  }
  const attach = async (files: readonly File[]) => {
    const read = await Promise.all(files.map(readImage))
    const fitting = read.filter((url) => url !== undefined)
    if (fitting.length < read.length) showToast(t('playground.image.wrong'), { tone: 'bad' })
    onImages((before) => [...before, ...fitting].slice(0, MAX_IMAGES))
  }
  return (
    <div data-composer className={FRAME}>
      <label htmlFor={fieldId} className="sr-only">
        {t('playground.message')}
      </label>
      <textarea
        id={fieldId}
        rows={2}
        maxLength={MAX_CHARACTERS}
        value={draft}
        placeholder={t('playground.message')}
        aria-describedby={hintId}
        onChange={(event) => onDraft(event.target.value)}
        onKeyDown={onKeyDown}
        className="input-frame w-full py-2"
      />
      {images.length > 0 && (
        <Pictures images={images} onRemove={(index) => onImages((before) => before.toSpliced(index, 1))} />
      )}
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p id={hintId} className={classNames('text-[0.8125rem] text-muted', !isBlocked && 'max-sm:sr-only')}>
          {hint}
        </p>
        <div className="flex flex-wrap gap-2">
          <AttachButton onFiles={(files) => void attach(files)} />
          {isRunning ? (
            <Button icon="stop" onClick={onStop}>
              {t('playground.stop')}
            </Button>
          ) : (
            <Button variant="primary" icon="play" disabled={!canSend} onClick={onSend}>
              {t('playground.send')}
            </Button>
          )}
        </div>
      </div>
    </div>
  )
}

interface PicturesProps {
  readonly images: readonly string[]
  readonly onRemove: (index: number) => void
}

/** The pictures attached to the message. */
function Pictures({ images, onRemove }: PicturesProps) {
  return (
    <ul aria-label={t('playground.images')} className="flex flex-wrap gap-2">
      {images.map((url, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same picture may be there twice.
        <li key={index} className="relative">
          <img
            src={url}
            alt={t('playground.image', { number: index + 1 })}
            className="h-16 rounded border border-line"
          />
          <span className="absolute -top-2 -right-2 rounded-full bg-surface shadow-lift">
            <IconButton
              icon="close"
              label={t('playground.image.remove', { number: index + 1 })}
              onClick={() => onRemove(index)}
            />
          </span>
        </li>
      ))}
    </ul>
  )
}

function AttachButton({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) {
  return (
    <label className="inline-flex min-h-9 cursor-pointer items-center rounded-lg border border-line-strong/60 px-3.5 text-sm font-medium hover:bg-hover has-focus-visible:outline-2 has-focus-visible:outline-accent">
      {t('playground.attach')}
      <input
        type="file"
        accept={imageTypes.join(',')}
        multiple
        className="sr-only"
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])])
          event.target.value = ''
        }}
      />
    </label>
  )
}

/** A picture as a data URL. Undefined if the file has another type or is too large. */
async function readImage(file: File): Promise<string | undefined> {
  if (file.size > MAX_IMAGE_BYTES || !imageTypes.some((type) => type === file.type)) return undefined
  const bytes = new Uint8Array(await file.arrayBuffer())
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return `data:${file.type};base64,${btoa(binary)}`
}
