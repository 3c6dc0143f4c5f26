import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { t } from '../../language/language.ts'
import { useMay, usePermissions } from '../../shell/use-me.ts'
import { publicModelsQuery } from '../../suggestions/public-models.ts'
import { Button } from '../../ui/button.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Banner, EmptyState, ErrorState } from '../../ui/states.tsx'
import { Composer } from './composer.tsx'
import {
  addColumn,
  clearTurns,
  findLastRequest,
  MAX_COLUMNS,
  openCallsOf,
  removeColumn,
} from './conversation.ts'
import { ModelColumnCard } from './model-column.tsx'
import { SettingsPanel } from './settings-panel.tsx'
import { SnippetDialog } from './snippet-dialog.tsx'
import { type Talk, useConversation } from './use-conversation.ts'
import { findFault } from './write-chat-body.ts'

const none: readonly string[] = []

/** Several models side by side. Requests are the same as those of callers and cost the same. */
export function PlaygroundPage() {
  const asks = useMay('POST /playground/completions')
  const { seesAll } = usePermissions()
  const models = useQuery({ ...publicModelsQuery(), enabled: asks })
  const isMissing = models.data === undefined ? models.isError : models.data.rows.length === 0
  if (asks && !isMissing) return <Playground models={models.data?.rows ?? none} />
  return (
    <>
      <PageHeader title={t('nav.playground')} description={t('playground.description')} />
      {models.isError ? (
        <ErrorState error={models.error} onRetry={() => void models.refetch()} />
      ) : (
        <EmptyState icon="playground" title={t(asks ? 'models.none' : 'playground.not_yours')}>
          {t(!asks ? 'playground.not_yours.why' : seesAll ? 'models.none.advice' : 'models.none.advice.own')}
        </EmptyState>
      )}
    </>
  )
}

interface PlaygroundProps {
  /** There are none until they are read. */
  readonly models: readonly string[]
}

function Playground({ models }: PlaygroundProps) {
  const talk = useConversation(models)
  const [copied, setCopied] = useState<string | undefined>()
  const { setConversation, changeColumn, ask, stop, isRunning, columns } = talk
  const { settings, draft, images, lacksImages } = talk.conversation
  const fault = findFault(settings)
  const shown = columns.find(({ id }) => id === copied)
  const awaitsResults = columns.some((column) => openCallsOf(column).length > 0)
  const send = () => {
    setConversation((before) => ({ ...before, draft: '', images: [] }))
    for (const column of columns) {
      changeColumn(column.id, (now) => ({ ...now, model: column.model }))
      void ask(column, { role: 'user', text: draft, images })
    }
  }
  return (
    <>
      <Header talk={talk} />
      <div className="space-y-4">
        <SettingsPanel
          settings={settings}
          fault={fault}
          onChange={(next) => setConversation((before) => ({ ...before, settings: next }))}
        />
        <Columns talk={talk} models={models} onCopy={setCopied} />
        {lacksImages && <Banner tone="warn">{t('playground.images.lost')}</Banner>}
        <Composer
          draft={draft}
          images={images}
          isRunning={isRunning}
          isBlocked={fault !== undefined || awaitsResults || models.length === 0}
          hint={awaitsResults ? t('playground.awaits_results') : t('playground.hint')}
          onDraft={(next) => setConversation((before) => ({ ...before, draft: next }))}
          onImages={(change) =>
            setConversation((before) => ({ ...before, images: [...change(before.images)] }))
          }
          onStop={() => stop()}
          onSend={send}
        />
      </div>
      <SnippetDialog
        column={shown === undefined ? undefined : findLastRequest(shown, talk.conversation)}
        settings={settings}
        onClose={() => setCopied(undefined)}
      />
    </>
  )
}

function Header({ talk: { columns, isRunning, setConversation } }: { readonly talk: Talk }) {
  return (
    <PageHeader
      title={t('nav.playground')}
      description={t('playground.description')}
      actions={
        <>
          <Button
            icon="plus"
            disabled={columns.length >= MAX_COLUMNS}
            onClick={() => setConversation(addColumn)}
          >
            {t('playground.add_model')}
          </Button>
          <Button icon="trash" disabled={isRunning} onClick={() => setConversation(clearTurns)}>
            {t('playground.clear')}
          </Button>
        </>
      }
    />
  )
}

interface ColumnsProps {
  readonly talk: Talk
  readonly models: readonly string[]
  readonly onCopy: (id: string) => void
}

function Columns({ talk, models, onCopy }: ColumnsProps) {
  const { columns, setConversation, changeColumn, ask, stop } = talk
  return (
    <div className="grid gap-4 md:grid-cols-2">
      {columns.map((column) => (
        <ModelColumnCard
          key={column.id}
          column={column}
          models={models}
          canRemove={columns.length > 1}
          onChange={(change) => changeColumn(column.id, (now) => ({ ...now, ...change }))}
          onRemove={() => {
            stop(column.id)
            setConversation((before) => removeColumn(before, column.id))
          }}
          onCopy={() => onCopy(column.id)}
          onStop={() => stop(column.id)}
          onResults={(results) => void ask(column, { role: 'tool', results })}
        />
      ))}
    </div>
  )
}
