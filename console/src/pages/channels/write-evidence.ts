import type { ReceivedFact, SentFact } from '../../../../src/admin/certification/evidence-contract.ts'
import { writeRequestError } from '../../api/describe-error.ts'
import { findText, t } from '../../language/language.ts'

/** A call of a check in the language of the page. What was asked and answered stays in its own words. */
export function writeSent({ type, texts, turn, tool_results: results, tools, options }: SentFact): string {
  if (type === 'embeddings')
    return t('certification.sent.embeddings', { texts: texts.map((text) => JSON.stringify(text)).join(', ') })
  const last = results > 0 ? t('certification.sent.tool_results', { count: results }) : texts.join(' ')
  const parts = [
    ...(tools > 0 ? [t('certification.sent.tools', { count: tools })] : []),
    ...options.map((option) => t(`certification.sent.option.${option}`)),
  ]
  const numbered = turn > 1 ? t('certification.sent.turn', { turn, text: last }) : last
  const whole = type === 'token_count' ? t('certification.sent.token_count', { text: numbered }) : numbered
  return withParts(whole, parts)
}

export function writeReceived({ answer, usage }: ReceivedFact): string {
  if (usage === null) return writeAnswer(answer)
  const { output_tokens: count } = usage
  const said =
    count === null ? t('certification.received.no_usage') : t('certification.received.output', { count })
  return withParts(writeAnswer(answer), [said])
}

function withParts(text: string, parts: readonly string[]): string {
  return parts.length === 0 ? text : `${text} [${parts.join(' · ')}]`
}

function writeAnswer(answer: ReceivedFact['answer']): string {
  switch (answer.type) {
    case 'failed': {
      const { status, error, message } = answer
      const meaning = writeRequestError(error, message)
      const words = [status === null ? t('certification.received.no_status') : String(status), meaning]
      return (meaning === message ? words : [...words, message]).join(' · ')
    }
    case 'count':
      return t('certification.received.tokens', { count: answer.tokens })
    case 'vectors':
      return t('certification.received.vectors', { count: answer.count, numbers: answer.numbers })
    case 'reply':
      return `${answer.text} (${writeStop(answer.stop_reason)})`
    default:
      return t(`certification.received.${answer.type}`)
  }
}

function writeStop(reason: string | null): string {
  if (reason === null) return t('certification.stop.none')
  return findText(`certification.stop.${reason}`) ?? reason
}
