import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { renderErrorDocs } from '../scripts/render-error-docs.ts'
import type { ErrorRow } from '../src/canonical/error-rows/error-row.ts'
import { type ErrorCode, errorTable } from '../src/canonical/error-table.ts'
import { createFailure } from '../src/canonical/failure.ts'
import { operatorErrors } from '../src/canonical/operator-errors.ts'
import { writeError as writeChatError } from '../src/wire/errors/write-error.ts'
import { writeError as writeMessagesError } from '../src/wire/messages/errors/write-error.ts'

const document = readFileSync(new URL('../docs/errors.md', import.meta.url), 'utf8')

interface DocumentedError {
  readonly code: string
  readonly chatCode: string
  readonly chatStatus: number
  readonly messagesStatus: number
  readonly chatType: string
  readonly messagesType: string
  readonly retry: string
  readonly blame: string
  readonly message: string
}

/** The rows of the tables of codes, read by eye as it were: by their seven columns. */
const documented: readonly DocumentedError[] = document
  .split('\n')
  .map((line) => line.replace(/^\| | \|$/g, '').split(' | '))
  .filter((cells) => cells.length === 7 && /^`[a-z0-9_]+`/.test(cells[0] ?? ''))
  .map(([code = '', status = '', chatType = '', messagesType = '', retry = '', blame = '', message = '']) => {
    const [first = '', second = first] = [...code.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '')
    const [chatStatus = 0, messagesStatus = chatStatus] = (status.match(/\d+/g) ?? []).map(Number)
    return {
      code: first,
      chatCode: second,
      chatStatus,
      messagesStatus,
      chatType: chatType.replaceAll('`', ''),
      messagesType: messagesType.replaceAll('`', ''),
      retry,
      blame,
      message,
    }
  })

const codes = Object.keys(errorTable).filter((name): name is ErrorCode => Object.hasOwn(errorTable, name))

const retryColumn = { wait: 'after `retry-after`', never: 'no', caller: "by the client's rules" } as const
const blameColumn = {
  caller: 'the request',
  operator: 'the set-up',
  upstream: 'the provider',
  gateway: 'the gateway',
} as const

describe('docs/errors.md', () => {
  it('has every code of the table, once, and no other', () => {
    expect(documented.map(({ code }) => code).sort()).toEqual([...codes].sort())
  })

  it('states for every code what each format answers', () => {
    for (const code of codes) {
      const row: ErrorRow = errorTable[code]
      const failure = createFailure(code)
      const chat = writeChatError(failure)
      const messages = writeMessagesError(failure, 'req')
      const found = documented.find((each) => each.code === code)
      expect(chat.body).toMatchObject({ error: { code: found?.chatCode, type: found?.chatType } })
      expect(messages.body).toMatchObject({ error: { code, type: found?.messagesType } })
      expect(found).toMatchObject({
        chatStatus: chat.status,
        messagesStatus: messages.status,
        retry: retryColumn[row.retry],
        blame: blameColumn[row.blame],
        message: row.message,
      })
    }
  })

  it('has every code of a start or a command, once, each with a remedy in a whole sentence', () => {
    const found = document
      .split('\n')
      .map((line) => line.replace(/^\| | \|$/g, '').split(' | '))
      .filter((cells) => cells.length === 3 && /^`[a-z_]+`$/.test(cells[0] ?? ''))
    expect(found.map(([code]) => code)).toEqual(Object.keys(operatorErrors).map((code) => `\`${code}\``))
    for (const [, happened, advice] of found) {
      expect(happened).toMatch(/^[A-Z].*\.$/)
      expect(advice).toMatch(/^[A-Z"].*\.$/)
    }
  })

  it('lists exactly the headers that are sent', () => {
    for (const code of codes) {
      const row: ErrorRow = errorTable[code]
      const headers = [writeChatError(createFailure(code)), writeMessagesError(createFailure(code), 'r')].map(
        (rendered) => [rendered.headers['retry-after'], rendered.headers['x-should-retry']],
      )
      const expected = {
        wait: [expect.stringMatching(/^([1-9]|[1-5]\d|60)$/), undefined],
        never: [undefined, 'false'],
        caller: [undefined, undefined],
      }[row.retry]
      expect(headers).toEqual([expected, expected])
    }
  })

  it('equals the output of scripts/write-error-docs.ts', () => {
    expect(renderErrorDocs(document)).toBe(document)
  })

  it('has a remedy in every message, in whole sentences', () => {
    for (const { message } of documented) expect(message).toMatch(/^[A-Z].*\.$/)
  })

  it('names only existing codes in its prose', () => {
    const named = [...document.matchAll(/`((?:upstream|invalid|missing|model|request|body)_[a-z_]+)`/g)]
    const known = new Set<string>([
      ...codes,
      ...Object.keys(operatorErrors),
      ...documented.flatMap((each) => [each.chatType, each.messagesType]),
    ])
    expect(named.map((match) => match[1]).filter((name) => !known.has(name ?? ''))).toEqual([])
  })
})
