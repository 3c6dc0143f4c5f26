import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createNoticeLog } from '../../src/telemetry/notice-log.ts'
import { createRequestLog } from '../../src/telemetry/request-log.ts'
import { createFakeClock } from '../support/fake-clock.ts'

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 600 }),
  fc
    .array(fc.constantFrom('\n', '\r', '\u001b[2J', '\u2028', '\u0000', '"', '}', '{"level":60}', 'a'), {
      maxLength: 600,
    })
    .map((parts) => parts.join('')),
)

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
const controls = /[\x00-\x1f\x7f-\x9f\u2028\u2029]/

it('a log line is one line of JSON without control characters, and values from callers are truncated', () => {
  fc.assert(
    fc.property(text, text, text, (path, cause, feature) => {
      const lines: string[] = []
      const log = createRequestLog({
        level: { current: 'trace' },
        clock: createFakeClock(),
        destination: { write: (line) => lines.push(line) },
      })
      log.requestEnded({
        requestId: 'r',
        method: 'POST',
        path,
        format: 'chat',
        status: 400,
        error: 'invalid_json',
        cause,
        keyId: undefined,
        keyName: undefined,
        user: undefined,
        group: undefined,
        address: '127.0.0.1',
        isStream: false,
        model: path,
        channel: undefined,
        upstreamModel: undefined,
        candidates: [],
        attempts: [],
        usage: undefined,
        losses: [{ feature: 'foreign-field', kind: 'dropped', field: feature }],
        callerLeft: false,
        isRecovered: false,
        receiveMs: 0,
        queueMs: 0,
        bytesIn: 0,
        bytesOut: 0,
        firstContentMs: undefined,
        totalMs: 1,
        endedAtMs: 0,
      })
      expect(lines).toHaveLength(1)
      const line = lines[0] ?? ''
      expect(line.slice(0, -1)).not.toMatch(controls)
      const row: Record<string, unknown> = JSON.parse(line)
      for (const value of [row['path'], row['cause'], row['model'], ...[row['losses']].flat()]) {
        expect(String(value ?? '').length).toBeLessThanOrEqual(257)
      }
    }),
    { numRuns: 500 },
  )
})

it('a notice is one line of JSON without control characters, although it quotes providers', () => {
  fc.assert(
    fc.property(text, (message) => {
      const lines: string[] = []
      createNoticeLog({
        level: () => 'info',
        clock: createFakeClock(),
        destination: { write: (line) => lines.push(line) },
      }).warn(message)
      const line = lines.join('')
      expect(line.slice(0, -1)).not.toMatch(controls)
      expect(JSON.parse(line)).toMatchObject({ msg: message.toWellFormed() })
    }),
    { numRuns: 500 },
  )
})
