import { describe, expect, it } from 'vitest'
import { endOfFirstTurn } from './find-session.ts'

describe('the part of a conversation that stays', () => {
  const system = '{"role":"system","content":"be [brief] \\"}"}'
  const user = '{"role":"user","content":[{"type":"text","text":"a"}]}'
  const reply = '{"role":"assistant","content":"b"}'

  it('is the same however long the conversation grew', () => {
    const short = `[${system},${user}]`
    const long = `[${system},${user},${reply},${user}]`
    expect(long.slice(0, endOfFirstTurn(long))).toBe(short.slice(0, endOfFirstTurn(short)))
    expect(long.slice(0, endOfFirstTurn(long))).toContain('"text":"a"')
    expect(long.slice(0, endOfFirstTurn(long))).not.toContain('assistant')
  })

  it('is all of the text where the first message of the user does not end in it', () => {
    const text = `[${system},{"role":"user","content":"a long`
    expect(endOfFirstTurn(text)).toBe(text.length)
  })
})
