import { errorTable } from '../../canonical/error-table.ts'
import type { CauseFact, plainCauses, rateCauses } from './cause-contract.ts'

const plain: Readonly<Record<string, (typeof plainCauses)[number]>> = {
  'the disk is nearly full': 'disk_nearly_full',
  'the disk fills up': 'disk_fills_up',
  'the client secret has expired or is unknown': 'client_secret_unknown',
  'no content type was sent': 'no_content_type',
}

const rates: Readonly<Record<string, (typeof rateCauses)[number]>> = {
  'requests a minute': 'requests_per_minute',
  'tokens a minute': 'tokens_per_minute',
  'input tokens a minute': 'input_tokens_per_minute',
  'output tokens a minute': 'output_tokens_per_minute',
  'requests at one time': 'concurrency',
}

const models = {
  'no channel and no alias has the model': 'model_unknown',
  'the key may not use the model': 'model_denied',
  'the key may use no model': 'model_not_usable',
} as const

const TOO_SMALL = 'does not hold the most that the request can cost'

/** A text in quotes, as JSON. */
const QUOTED = '"(?:[^"\\\\]|\\\\.)*"'

type Read = (parts: readonly string[]) => CauseFact | undefined

const patterns: readonly (readonly [pattern: RegExp, read: Read])[] = [
  [
    new RegExp(`^(${Object.keys(models).join('|')}) (that it asks for|${QUOTED})$`),
    ([words = '', name = '']) => {
      const found = Object.entries(models).find(([each]) => each === words)
      return found && { code: found[1], model: name.startsWith('"') ? readQuoted(name) : null }
    },
  ],
  [
    /^the limit of (.+?) of (.+) is reached$/s,
    ([words = '', owner = '']) => {
      const rate = rates[words]
      return rate && { code: 'rate_reached', rate, limit: owner === 'this gateway' ? null : owner }
    },
  ],
  [
    new RegExp(`^the budget (${QUOTED})(?: of (${QUOTED}))? (is spent|${TOO_SMALL})$`),
    ([budget = '', value, state]) => ({
      code: state === 'is spent' ? 'budget_spent' : 'budget_too_small',
      budget: readQuoted(budget),
      value: value === undefined ? null : readQuoted(value),
    }),
  ],
  [
    new RegExp(`^the credit of (?:this API key|the (user|group) (${QUOTED})) (is spent|${TOO_SMALL})$`),
    ([owner, name, state]) => ({
      code: state === 'is spent' ? 'credit_spent' : 'credit_too_small',
      owner: owner === 'user' || owner === 'group' ? owner : 'key',
      name: name === undefined ? null : readQuoted(name),
    }),
  ],
  [/^the content type is "(.*)"$/s, ([type = '']) => ({ code: 'content_type', type })],
  [
    /^the provider closed the connection with (\d+) (.*)$/s,
    ([status, reason = '']) => ({ code: 'closed_by_provider', status: Number(status), reason }),
  ],
]

const errorByMessage: ReadonlyMap<string, string> = new Map(
  Object.entries<{ readonly message: string }>(errorTable).map(([code, { message }]) => [message, code]),
)

/**
 * Reads the cause of a stored request, which is never rewritten. Null where it is not Headgate's own sentence: the
 * words of a provider or of the system.
 */
export function viewCause(cause: string | undefined): CauseFact | null {
  if (cause === undefined) return null
  const known = Object.hasOwn(plain, cause) ? plain[cause] : undefined
  if (known !== undefined) return { code: known }
  const error = errorByMessage.get(cause)
  if (error !== undefined) return { code: 'error', error }
  for (const [pattern, read] of patterns) {
    const parts = pattern.exec(cause)?.slice(1)
    if (parts !== undefined) return read(parts) ?? null
  }
  return null
}

function readQuoted(text: string): string {
  const read: unknown = JSON.parse(text)
  return String(read)
}
