import { writeCount, writeDuration, writeUsd } from '../../language/format.ts'
import { t } from '../../language/language.ts'
import { Banner } from '../../ui/states.tsx'
import { Code } from '../../ui/text.tsx'
import type { AnswerFigures, AssistantTurn, Turn } from './conversation.ts'

export function TurnView({ turn }: { readonly turn: Turn }) {
  switch (turn.role) {
    case 'user':
      return (
        <div className="ml-6 rounded-lg bg-accent-soft px-3 py-2">
          <p className="text-xs text-muted">{t('playground.you')}</p>
          <p className="break-words whitespace-pre-wrap">{turn.text}</p>
          {turn.images.map((url, index) => (
            <img
              key={url}
              src={url}
              alt={t('playground.image', { number: index + 1 })}
              className="mt-2 max-h-40 rounded"
            />
          ))}
        </div>
      )
    case 'tool':
      return (
        <div className="ml-6 rounded-lg bg-sunken px-3 py-2 text-[0.8125rem]">
          <p className="text-xs text-muted">{t('playground.results')}</p>
          {turn.results.map(({ callId, text }) => (
            <p key={callId} className="font-mono break-words whitespace-pre-wrap">
              {text}
            </p>
          ))}
        </div>
      )
    case 'assistant':
      return <AnswerView turn={turn} />
  }
}

function AnswerView({ turn }: { readonly turn: AssistantTurn }) {
  const { text, reasoning, calls, state, error, cutBy, figures } = turn
  return (
    <div className="space-y-2">
      {reasoning !== '' && (
        <details className="text-[0.8125rem] text-muted">
          <summary className="cursor-pointer">{t('playground.reasoning')}</summary>
          <p className="mt-1 break-words whitespace-pre-wrap">{reasoning}</p>
        </details>
      )}
      {text !== '' && <p className="break-words whitespace-pre-wrap">{text}</p>}
      {calls.map(({ id, name, input }) => (
        <p key={id} className="text-[0.8125rem] break-words">
          <span className="text-muted">{t('playground.calls')}</span> <Code>{`${name}(${input})`}</Code>
        </p>
      ))}
      {state === 'running' && <p className="text-[0.8125rem] text-muted">{t('playground.running')}</p>}
      {state === 'stopped' && <p className="text-[0.8125rem] text-muted">{t('playground.stopped')}</p>}
      {state === 'left' && <p className="text-[0.8125rem] text-muted">{t('playground.left')}</p>}
      {cutBy !== null && <Banner tone="warn">{t(`playground.cut_by.${cutBy}`)}</Banner>}
      {state === 'failed' && <Banner tone="bad">{error ?? t('playground.cut')}</Banner>}
      <FigureLine figures={figures} />
    </div>
  )
}

/** Time to first token, total time, tokens and cost, if known. */
function FigureLine({ figures }: { readonly figures: AnswerFigures }) {
  const { firstMs, totalMs, inputTokens, outputTokens, costUsd, channel } = figures
  const parts = [
    firstMs === null ? undefined : t('playground.first', { time: writeDuration(firstMs) }),
    totalMs === null ? undefined : t('playground.total', { time: writeDuration(totalMs) }),
    inputTokens === null || outputTokens === null
      ? undefined
      : t('playground.tokens', { input: writeCount(inputTokens), output: writeCount(outputTokens) }),
    costUsd === null ? undefined : writeUsd(costUsd),
    channel === null ? undefined : t('playground.by', { channel }),
  ].filter((part) => part !== undefined)
  if (parts.length === 0) return null
  return <p className="text-xs text-muted tabular-nums">{parts.join(' · ')}</p>
}
