import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BodyBytes } from '../../../kit/json/body-bytes.ts'
import { scanRequest } from './scan-request.ts'
import { spliceRequest } from './splice-request.ts'

const shape = {
  modelReplacement: { anthropic_version: 'cloud-1', anthropic_beta: ['a'] },
  isStreamInPath: true,
}

function splice(text: string, isStreamInPath = true): string {
  const parts = spliceRequest(scanRequest(BodyBytes.from([Buffer.from(text)])), {
    model: 'upstream',
    askForUsage: false,
    shape: { ...shape, isStreamInPath },
  })
  return Buffer.concat(parts).toString('utf8')
}

describe('a messages body whose path names the model', () => {
  it('loses its model and stream fields in any position, and is otherwise the same JSON', () => {
    const blank = fc.constantFrom('', ' ', '\n\t', ' '.repeat(50))
    const fields = [
      ['model', '"claude"'],
      ['stream', 'true'],
      ['messages', '[{"role":"user","content":"Hi, \\"stream\\""}]'],
      ['max_tokens', '5'],
      ['x_new', '{"stream":true,"model":"inner"}'],
    ] as const
    fc.assert(
      fc.property(
        fc.shuffledSubarray([...fields], { minLength: fields.length }),
        fc.array(blank, { minLength: 20, maxLength: 20 }),
        fc.boolean(),
        (order, blanks, isStreamInPath) => {
          const space = (index: number) => blanks[index % blanks.length] ?? ''
          const members = order.map(
            ([name, value], at) =>
              `${space(at * 4)}"${name}"${space(at * 4 + 1)}:${space(at * 4 + 2)}${value}${space(at * 4 + 3)}`,
          )
          const text = `{${members.join(',')}}`
          const { model: _model, stream, ...rest } = JSON.parse(text)
          expect(JSON.parse(splice(text, isStreamInPath))).toEqual({
            ...shape.modelReplacement,
            ...rest,
            ...(isStreamInPath ? {} : { stream }),
          })
        },
      ),
      { numRuns: 1000 },
    )
  })

  it('retains every other byte', () => {
    expect(
      splice('{"model":"c", "max_tokens" : 5,"messages":[{"role":"user","content":"a"}] , "stream":true }'),
    ).toBe(
      '{"anthropic_version":"cloud-1","anthropic_beta":["a"], "max_tokens" : 5,"messages":[{"role":"user","content":"a"}]  }',
    )
  })
})
