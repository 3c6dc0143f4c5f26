import { describe, expect, it } from 'vitest'
import { endOfFirstTurn } from './find-session.ts'

describe('the stable part of a conversation', () => {
  const system = '{"role":"system","content":"be [brief] \\"}"}'
  const user = '{"role":"user","content":[{"type":"text","text":"a"}]}'
  const reply = '{"role":"assistant","content":"b"}'

  it('is the same, however long the conversation has grown', () => {
    const short = Buffer.from(`[${system},${user}]`)
    const long = Buffer.from(`[${system},${user},${reply},${user}]`)
    const kept = (json: Buffer) => json.toString('utf8', 0, endOfFirstTurn(json))
    expect(kept(long)).toBe(kept(short))
    expect(kept(long)).toContain('"text":"a"')
    expect(kept(long)).not.toContain('assistant')
  })

  it('ends with the first message of the role user, whatever is nested in other messages', () => {
    const quoting = '{"role":"system","content":[{"role":"user"},"role","user"]}'
    const spaced = '{ "content": "a", "role" : "user" }'
    const named = '{"name":"role","user":"x","role":"assistant"}'
    const json = Buffer.from(`[${quoting},${named},${spaced},${reply}]`)
    expect(json.toString('utf8', endOfFirstTurn(json))).toBe(`},${reply}]`)
  })

  it('is the whole text when the first user message does not end in it', () => {
    const json = Buffer.from(`[${system},{"role":"user","content":"a long`)
    expect(endOfFirstTurn(json)).toBe(json.length)
  })
})
