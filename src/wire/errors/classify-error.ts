import type { ErrorCode } from '../../canonical/error-table.ts'
import { judgeMissing, type MissingDetails } from './judge-missing.ts'

/** The facts of an error besides its status and its text. */
export interface ErrorContext extends Omit<MissingDetails, 'text'> {
  /** Whether the answer is a web page, which means that something in front of the API sent it. */
  readonly isPage?: boolean
  /**
   * The text without its quotations of the request. Only this text can show that the fault is on our side and not in
   * the request.
   */
  readonly ownText?: string
}

/** Patterns for the subject of an error's text. Sources: recorded errors of some twenty servers, 2023 to 2026. */
const about = {
  context:
    /context[ _]?(length|window|size)|maximum context|too[ _]many[ _](prompt[ _]|input[ _])?tokens|(prompt|input|messages) (is|are) too long|total length of all messages|input token count|reduce the length of|string_above_max_length/,
  policy:
    /content[ _-]?(policy|filter|management)|responsible ?ai|safety (system|policy|check)|moderation|was flagged|inappropriate content|data_inspection_failed|sensitive[ _](word|content)/,
  quota:
    /insufficient[ _](quota|balance|credit|funds)|credit balance|exceeded your current quota|billing[ _](details|hard|not|issue|account|limit)|(out of|not enough|more|no|all available) credits|payment[ _]required|arrearage|balance is (too low|not enough|insufficient)|spending limit|credit limit/,
  credential:
    /(incorrect|invalid|missing|expired|wrong|no) api[ _-]?key|api[ _-]?key (is )?(not|invalid|expired|missing)|api_key_invalid|invalid_api_key|authentication[ _]?(error|fail)|invalid[ _]authentication|unauthorized/,
  model:
    /model_not_found|deployment ?not ?found|invalid_model|unknown_model|(no such|unknown|invalid) model\b|model\b.{0,120}(does not exist|not found|has been deprecated|no longer available)/,
  rate: /rate[ _-]?limit|too many requests|(requests|tokens) per (minute|day|hour)|throttl/,
  overload:
    /overloaded|over capacity|capacity exceeded|at capacity|(server|engine|system) (is )?(currently )?busy|temporarily unavailable|service[ _]unavailable/,
  timeout: /timed? ?out|deadline exceeded/,
  request:
    /invalid[ _]?(request|argument|parameter|value|type)|bad[ _]?request|validation|unsupported[ _]|tool_use_failed/,
} as const satisfies Record<string, RegExp>

type Subject = keyof typeof about

const codeOf: Readonly<Record<Subject, ErrorCode>> = {
  context: 'context_length_exceeded',
  policy: 'content_policy_violation',
  quota: 'upstream_quota',
  credential: 'upstream_credential',
  model: 'upstream_model_missing',
  rate: 'upstream_rate_limited',
  overload: 'upstream_overloaded',
  timeout: 'upstream_timeout',
  request: 'upstream_rejected',
}

/** Returns the code of the first of these subjects that the text mentions. */
function judgeWords(text: string, subjects: readonly Subject[]): ErrorCode | undefined {
  const subject = subjects.find((candidate) => about[candidate].test(text))
  return subject === undefined ? undefined : codeOf[subject]
}

const wordsWithoutStatus: readonly Subject[] = [
  'quota',
  'credential',
  'model',
  'rate',
  'overload',
  'timeout',
  'request',
]

/**
 * Finds the error code by the status and the text in lower case. The status is undefined for errors inside a successful
 * answer or a stream that do not state a status.
 */
export function classifyError(
  status: number | undefined,
  text: string,
  context: ErrorContext = {},
): ErrorCode {
  const { ownText = text } = context
  if (status === undefined) {
    const byRequest = judgeWords(text, ['context', 'policy'])
    return byRequest ?? judgeWords(ownText, wordsWithoutStatus) ?? 'upstream_error'
  }
  if (status < 400 || status > 599) return 'upstream_bad_response'
  return status >= 500 ? classifyServerError(status, text) : classifyRefusal(status, text, context)
}

/** Finds the error code for a status below 500. */
function classifyRefusal(status: number, text: string, context: ErrorContext): ErrorCode {
  const { ownText = text } = context
  switch (status) {
    case 401:
      return judgeWords(text, ['quota']) ?? 'upstream_credential'
    case 402:
      return 'upstream_quota'
    case 403:
      return classifyForbidden(text, context)
    case 404:
    case 410:
      return isObjectMissing(text, context) ? 'upstream_rejected' : 'upstream_model_missing'
    case 405:
    case 406:
    case 407:
    case 415:
    case 421:
    // Text Generation Inference's status for a generation that failed.
    case 424:
    case 425:
    case 426:
    // The status of nginx and of Google for a call that something in between cancelled.
    case 499:
      return 'upstream_error'
    case 408:
      return 'upstream_timeout'
    case 413:
      return judgeWords(text, ['rate', 'context']) ?? 'request_too_large'
    case 429:
      return judgeWords(text, ['quota', 'overload']) ?? 'upstream_rate_limited'
    // Groq's status for "flex tier capacity exceeded".
    case 498:
      return 'upstream_overloaded'
    default:
      return (
        judgeWords(text, ['context', 'policy']) ??
        judgeWords(ownText, ['quota', 'credential', 'model']) ??
        'upstream_rejected'
      )
  }
}

function classifyForbidden(text: string, context: ErrorContext): ErrorCode {
  const withoutNames = { ...context, namesStoredObjects: false }
  if (isObjectMissing(text, withoutNames)) return 'upstream_rejected'
  const byWords = judgeWords(text, ['policy', 'quota', 'credential', 'model'])
  if (byWords !== undefined) return byWords === 'upstream_model_missing' ? 'upstream_credential' : byWords
  // A web page is sent by something in front of the API, and the API never checked the credential.
  if (context.isPage === true) return 'upstream_error'
  return isObjectMissing(text, context) ? 'upstream_rejected' : 'upstream_credential'
}

/** An empty answer is sent by something that does not know the path, not by the service that stores the objects. */
function isObjectMissing(text: string, context: ErrorContext): boolean {
  return text !== '' && judgeMissing({ ...context, text }) === 'object'
}

function classifyServerError(status: number, text: string): ErrorCode {
  if (status === 504 || status === 524) return 'upstream_timeout'
  if (status === 503 || status === 529) return 'upstream_overloaded'
  return judgeWords(text, ['overload']) ?? 'upstream_error'
}
