import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { listenForEnd } from './listen-for-end.ts'

function open() {
  const source = new EventEmitter()
  const heard: string[] = []
  let nowMs = 0
  listenForEnd(
    source,
    { monotonicMs: () => nowMs },
    { first: (signal) => heard.push(signal), again: () => heard.push('again') },
  )
  const send = (signal: string, atMs: number) => {
    nowMs = atMs
    source.emit(signal, signal)
  }
  return { heard, send }
}

it('one Ctrl-C that arrives from the terminal and from a launcher is one request to end', () => {
  const { heard, send } = open()
  send('SIGINT', 0)
  send('SIGINT', 0)
  send('SIGTERM', 20)
  expect(heard).toEqual(['SIGINT'])
})

it('a later signal asks to end at once', () => {
  const { heard, send } = open()
  send('SIGTERM', 0)
  send('SIGINT', 2_000)
  expect(heard).toEqual(['SIGTERM', 'again'])
})
