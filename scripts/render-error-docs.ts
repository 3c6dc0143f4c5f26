import { configErrors } from '../src/canonical/error-rows/config-errors.ts'
import { gatewayErrors } from '../src/canonical/error-rows/gateway-errors.ts'
import { peopleErrors } from '../src/canonical/error-rows/people-errors.ts'
import { requestErrors } from '../src/canonical/error-rows/request-errors.ts'
import { upstreamErrors } from '../src/canonical/error-rows/upstream-errors.ts'
import {
  type ErrorCode,
  errorRow,
  errorTable,
  spendingErrors,
  storedResponseErrors,
} from '../src/canonical/error-table.ts'
import { createFailure } from '../src/canonical/failure.ts'
import { operatorErrors } from '../src/canonical/operator-errors.ts'
import { isJsonObject, type JsonValue } from '../src/kit/json/json.ts'
import { writeError as writeChatError } from '../src/wire/errors/write-error.ts'
import { writeError as writeMessagesError } from '../src/wire/messages/errors/write-error.ts'
import type { RenderedError } from '../src/wire/wire-format.ts'
import { renderFaultTable } from './render-fault-table.ts'
import { renderTable } from './render-table.ts'

const retryWords = {
  wait: 'after `retry-after`',
  never: 'no',
  caller: "by the client's rules",
} as const

const blameWords = {
  caller: 'the request',
  operator: 'the set-up',
  upstream: 'the provider',
  gateway: 'the gateway',
} as const

const headings = [
  'Code',
  'Status',
  'Chat type',
  'Messages type',
  'Retry',
  'Fault',
  'What happened and what to do',
]

/** Replaces what stands between the marks of a section, for every section of docs/errors.md. */
export function renderErrorDocs(document: string): string {
  const sections = {
    request: renderErrorTable(codesOf({ ...requestErrors, ...storedResponseErrors })),
    configuration: renderErrorTable(codesOf(configErrors)),
    people: renderErrorTable(codesOf(peopleErrors)),
    limits: renderErrorTable(codesOf(spendingErrors)),
    upstream: renderErrorTable(codesOf(upstreamErrors)),
    gateway: renderErrorTable(codesOf(gatewayErrors)),
    operator: renderOperatorTable(),
    faults: renderFaultTable(),
  }
  return Object.entries(sections).reduce((text, [name, table]) => replaceSection(text, name, table), document)
}

function renderOperatorTable(): string {
  const rows = Object.entries(operatorErrors).map(([code, { happened, advice }]) => [
    `\`${code}\``,
    happened,
    `${advice.charAt(0).toUpperCase()}${advice.slice(1)}.`,
  ])
  return renderTable(['Code', 'What happened', 'What to do'], rows)
}

function replaceSection(text: string, name: string, table: string): string {
  const [begin, end] = [`<!-- begin ${name} -->`, `<!-- end ${name} -->`]
  const from = text.indexOf(begin)
  const to = text.indexOf(end)
  if (from === -1 || to < from) throw new Error(`docs/errors.md has no section "${name}"`)
  return `${text.slice(0, from + begin.length)}\n\n${table}\n\n${text.slice(to)}`
}

function codesOf(rows: object): readonly ErrorCode[] {
  return Object.keys(rows).filter((name): name is ErrorCode => Object.hasOwn(errorTable, name))
}

function renderErrorTable(codes: readonly ErrorCode[]): string {
  const inOrder = [...codes].sort((one, other) => errorRow(one).status - errorRow(other).status)
  return renderTable(headings, inOrder.map(renderRow))
}

function renderRow(code: ErrorCode): readonly string[] {
  const row = errorRow(code)
  const chat = writeChatError(createFailure(code))
  const messages = writeMessagesError(createFailure(code), 'req')
  const chatCode = errorField(chat, 'code')
  const statuses =
    chat.status === messages.status ? `${chat.status}` : `${chat.status}, messages ${messages.status}`
  return [
    chatCode === code ? `\`${code}\`` : `\`${code}\`, chat \`${chatCode}\``,
    statuses,
    `\`${errorField(chat, 'type')}\``,
    `\`${errorField(messages, 'type')}\``,
    retryWords[row.retry],
    blameWords[row.blame],
    row.message,
  ]
}

function errorField({ body }: RenderedError, name: string): string {
  const error: JsonValue | undefined = body['error']
  return String(isJsonObject(error) ? error[name] : undefined)
}
