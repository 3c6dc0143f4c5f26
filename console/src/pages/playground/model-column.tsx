import { useState } from 'react'
import { Field } from '../../forms/field.tsx'
import { Suggestions } from '../../forms/inputs.tsx'
import { t } from '../../language/language.ts'
import { usePermissions } from '../../shell/use-me.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { ScrollRegion } from '../../ui/scroll-region.tsx'
import { isRunning, type ModelColumn, openCallsOf } from './conversation.ts'
import { TurnView } from './turn-view.tsx'

type Results = readonly { readonly callId: string; readonly text: string }[]

interface ModelColumnCardProps {
  readonly column: ModelColumn
  readonly models: readonly string[]
  readonly canRemove: boolean
  readonly onChange: (change: Partial<ModelColumn>) => void
  readonly onRemove: () => void
  readonly onCopy: () => void
  readonly onStop: () => void
  readonly onResults: (results: { callId: string; text: string }[]) => void
}

/** One model with its responses and their figures. */
export function ModelColumnCard(props: ModelColumnCardProps) {
  const { column, onStop, onResults } = props
  const { model, turns } = column
  const calls = openCallsOf(column)
  const runs = isRunning(column)
  return (
    <section
      aria-label={model === '' ? t('playground.model') : model}
      className="flex min-w-0 flex-col rounded-xl border border-line bg-surface shadow-lift"
    >
      <ColumnHeader {...props} />
      <ScrollRegion
        label={t('playground.answers', { model })}
        isLive
        isBusy={runs}
        className="max-h-[60dvh] min-h-40 flex-1 space-y-4 overflow-y-auto px-3 py-3"
      >
        {turns.length === 0 && <p className="text-muted">{t('playground.empty')}</p>}
        {turns.map((turn, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: turns are only ever added.
          <TurnView key={index} turn={turn} />
        ))}
        {calls.length > 0 && <ResultsForm calls={calls} onResults={onResults} />}
      </ScrollRegion>
      {runs && (
        <div className="border-t border-line px-3 py-2">
          <Button isSmall icon="stop" onClick={onStop}>
            {t('playground.stop_one', { model })}
          </Button>
        </div>
      )}
    </section>
  )
}

/** The model that answers, the channel that serves it, and the buttons of the column. */
function ColumnHeader({ column, models, canRemove, onChange, onRemove, onCopy }: ModelColumnCardProps) {
  const { seesAll } = usePermissions()
  const { id, model, channel } = column
  return (
    <header className="flex flex-wrap items-end gap-2 border-b border-line px-3 py-2.5">
      <div className="min-w-28 flex-1 max-sm:basis-full">
        <Field label={t('playground.model')}>
          {(ties) => (
            <input
              {...ties}
              list={`models-${id}`}
              value={model}
              spellCheck={false}
              onChange={(event) => onChange({ model: event.target.value })}
              className="input-frame w-full"
            />
          )}
        </Field>
        <Suggestions id={`models-${id}`} texts={models} />
      </div>
      {seesAll && (
        <div className="min-w-24 flex-1">
          <Field label={t('playground.channel')}>
            {(ties) => (
              <input
                {...ties}
                value={channel}
                spellCheck={false}
                placeholder={t('playground.channel.any')}
                onChange={(event) => onChange({ channel: event.target.value })}
                className="input-frame w-full"
              />
            )}
          </Field>
        </div>
      )}
      <div className="flex">
        <IconButton icon="copy" label={t('playground.copy_as', { model })} onClick={onCopy} />
        {canRemove && (
          <IconButton icon="close" label={t('playground.remove', { model })} onClick={onRemove} />
        )}
      </div>
    </header>
  )
}

interface ResultsFormProps {
  readonly calls: readonly { readonly id: string; readonly name: string }[]
  readonly onResults: (results: { callId: string; text: string }[]) => void
}

/** A form in which a person enters the results of tool calls. */
function ResultsForm({ calls, onResults }: ResultsFormProps) {
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const results: Results = calls.map(({ id }) => ({ callId: id, text: typed[id] ?? '' }))
  return (
    <form
      className="space-y-2 rounded-lg bg-sunken p-3"
      onSubmit={(event) => {
        event.preventDefault()
        onResults([...results])
      }}
    >
      {calls.map(({ id, name }) => (
        <Field key={id} label={t('playground.result', { name })}>
          {(ties) => (
            <textarea
              {...ties}
              rows={2}
              value={typed[id] ?? ''}
              onChange={(event) => setTyped((before) => ({ ...before, [id]: event.target.value }))}
              className="input-frame w-full py-1.5 font-mono text-[0.8125rem]"
            />
          )}
        </Field>
      ))}
      <Button type="submit" isSmall variant="primary">
        {t('playground.send_results')}
      </Button>
    </form>
  )
}
