import { both, type ReadyScript, readyScript, streams } from './ready-script.ts'

const before = { phase: 'before-content', forms: both } as const
const after = { phase: 'after-content', forms: streams } as const

/** F1 to F8: nothing is reached, nothing comes, or it stops coming. */
export const connectionFaults: readonly ReadyScript[] = [
  readyScript({
    ...before,
    name: 'F1-dns',
    description: 'the name of the upstream leads nowhere',
    origin: 'http://nowhere.invalid',
  }),
  readyScript({ ...before, name: 'F2-refused', description: 'nothing listens', script: { refuse: [{}] } }),
  readyScript({
    ...before,
    name: 'F3-expired',
    description: 'the certificate is out of date',
    script: { tls: { certificate: 'expired' } },
  }),
  readyScript({
    ...before,
    name: 'F3-wrong-host',
    description: 'the certificate belongs to another name',
    script: { tls: { certificate: 'wrong-host' } },
  }),
  readyScript({
    ...before,
    name: 'F3-self-signed',
    description: 'the certificate was signed by nobody',
    script: { tls: { certificate: 'self-signed' } },
  }),
  readyScript({
    ...before,
    name: 'F3-old-version',
    description: 'nothing newer than TLS 1.1 is spoken',
    script: { tls: { version: '1.1' } },
  }),
  readyScript({
    ...before,
    name: 'F3-garbage',
    description: 'the handshake is answered with no TLS at all',
    script: { tls: {}, connections: [{ do: { handshake: 'garbage' } }] },
  }),
  readyScript({
    ...before,
    name: 'F3-handshake-reset',
    description: 'the connection is reset in the handshake',
    script: { tls: {}, connections: [{ do: { handshake: 'reset' } }] },
  }),
  readyScript({
    ...before,
    name: 'F4-reused-reset',
    description: 'a kept connection is reset as the next request comes in',
    always: { connection: 'reset-on-next' },
  }),
  readyScript({
    ...before,
    name: 'F4-reused-close',
    description: 'a kept connection is closed as the next request comes in',
    always: { connection: 'close-on-next' },
  }),
  readyScript({
    ...before,
    name: 'F5-handshake-silence',
    description: 'the TLS handshake is never answered',
    script: { tls: {}, connections: [{ do: { handshake: 'never' } }] },
  }),
  readyScript({
    ...before,
    name: 'F5-never-read',
    description: 'the connection is accepted and never read',
    script: { connections: [{ do: { never_read: true } }] },
  }),
  readyScript({
    ...before,
    name: 'F5-no-headers',
    description: 'the request is taken and never answered',
    always: { stall: { after: 'request' } },
  }),
  readyScript({
    ...before,
    name: 'F6-silence',
    description: 'headers, then silence before the first words',
    always: { stall: { after: 'headers' } },
  }),
  readyScript({
    ...before,
    forms: streams,
    name: 'F6-pings',
    description: 'headers and the start, then heartbeats in place of words',
    always: { stall: { after: 'content', heartbeat: { every: '5s' } } },
  }),
  readyScript({
    ...after,
    name: 'F7-stall',
    description: 'silence after ten words',
    always: { stall: { after: { words: 10 } } },
  }),
  readyScript({
    ...after,
    name: 'F7-pings',
    description: 'ten words, then heartbeats in place of words',
    always: { stall: { after: { words: 10 }, heartbeat: { every: '5s' } } },
  }),
  readyScript({
    ...before,
    name: 'F8-reset-before-headers',
    description: 'reset when the request was read',
    always: { cut: { after: 'request', by: 'reset' } },
  }),
  readyScript({
    ...before,
    name: 'F8-close-before-headers',
    description: 'closed when the request was read',
    always: { cut: { after: 'request', by: 'fin' } },
  }),
  readyScript({
    ...before,
    name: 'F8-reset-before-content',
    description: 'reset after the headers',
    always: { cut: { after: 'headers', by: 'reset' } },
  }),
  readyScript({
    ...after,
    name: 'F8-reset',
    description: 'reset after ten words',
    always: { cut: { after: { words: 10 }, by: 'reset' } },
  }),
  readyScript({
    ...after,
    name: 'F8-close',
    description: 'closed after ten words, in the middle of the body',
    always: { cut: { after: { words: 10 }, by: 'fin' } },
  }),
  readyScript({
    ...after,
    name: 'F8-half-close',
    description: 'the sending side ends after ten words, the other stays open',
    always: { cut: { after: { words: 10 }, by: 'half-close' } },
  }),
]
