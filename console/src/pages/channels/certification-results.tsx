import type { CheckResultView } from '../../../../src/admin/certification/certification-contract.ts'
import { t } from '../../language/language.ts'
import { Code } from '../../ui/text.tsx'
import { describeOutcome } from './certification-badges.tsx'
import { writeReceived, writeSent } from './write-evidence.ts'

/** Each finding as a sentence, with its evidence. */
export function CertificationResults({ results }: { readonly results: readonly CheckResultView[] }) {
  if (results.length === 0) return null
  return (
    <details className="group/results">
      <summary className="cursor-pointer text-[0.8125rem] text-accent">{t('certification.findings')}</summary>
      <ul className="mt-2 space-y-3">
        {results.map((result) => (
          <li key={result.check} className="text-[0.8125rem]">
            <p>
              <span className="font-medium">{t(`certification.check.${result.check}`)}</span>
              {' · '}
              <span className="text-muted">{describeOutcome(result.outcome)}</span>
            </p>
            <p className="break-words">{t(`certification.finding.${result.finding}`, result.details)}</p>
            <Evidence result={result} />
          </li>
        ))}
      </ul>
    </details>
  )
}

function Evidence({ result: { evidence } }: { readonly result: CheckResultView }) {
  if (evidence.length === 0) return null
  return (
    <details className="mt-1">
      <summary className="cursor-pointer text-muted">
        {t('certification.evidence', { count: evidence.length })}
      </summary>
      <ol className="mt-1 space-y-2 border-l-2 border-line pl-3">
        {evidence.map(({ request_id: id, sent, received, sent_fact: fact, received_fact: got }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the calls of an ended check stay as they are.
          <li key={index} className="min-w-0 space-y-0.5 break-words">
            <p title={sent}>
              <span className="text-muted">{t('certification.sent')}</span>{' '}
              {fact === null ? sent : writeSent(fact)}
            </p>
            <p title={received}>
              <span className="text-muted">{t('certification.received')}</span>{' '}
              {got === null ? received : writeReceived(got)}
            </p>
            {id !== null && (
              <p className="text-muted">
                {t('certification.request')} <Code>{id}</Code>
              </p>
            )}
          </li>
        ))}
      </ol>
    </details>
  )
}
