type Action = readonly [name: string, what: string]

const answers: readonly Action[] = [
  ['early', 'answer when the head of the request is there, before its body'],
  ['reply', 'another status, body, type, headers or retry-after; a known error in any of ten forms'],
  ['delay', 'wait before the head, the body, the first words, each word, the end'],
  ['stall', 'silence at a place, for a time or for ever, with or without heartbeats'],
  ['drip', 'a few bytes at a time'],
  ['burst', 'all events in one write'],
  ['cut', 'end at a place: FIN, RST or half-close'],
  ['endless', 'words without end'],
  ['corrupt', 'change bytes at a place'],
  ['events', 'insert, drop, repeat or swap events'],
  ['usage', 'leave the usage out, or lie about it'],
  ['text', 'line ends, byte order mark, last blank line, wide characters'],
  ['encode', 'gzip, deflate or Brotli that nobody asked for; bombs'],
  ['framing', 'wrong lengths, broken chunks, 1xx and header floods, bytes after the answer'],
  ['connection', 'what becomes of the connection after a whole answer'],
]

const connections: readonly Action[] = [
  ['delay', 'wait before a connection is looked at'],
  ['never_read', 'accept and never read'],
  ['close', 'end at once: FIN, RST or half-close'],
  ['greeting', 'speak before being asked'],
  ['handshake', 'TLS: slow, never, garbage, reset, close'],
  ['idle_close', 'close when idle for so long'],
]

const others: readonly Action[] = [
  ['refuse', 'nothing listens for a while'],
  ['tls', 'a certificate that is expired, not yet valid, of another host, self-signed; one version alone'],
]

const relays: readonly Action[] = [
  ['close', 'end a connection as it comes'],
  ['black_hole', 'accept a connection and pass nothing on'],
  ['delay', 'wait before the target is reached, or before each piece'],
  ['pace', 'so many bytes in each period'],
  ['events', 'at a byte: pause, corrupt, drop, swap, black_hole, cut'],
]

/** Everything that scripts can do, a line each, under the place where it is written. */
export function listFaultActions(): readonly string[] {
  return [
    ...section('rules[].do, for requests', answers),
    ...section('connections[].do, for connections', connections),
    ...section('the upstream as a whole', others),
    ...section('rules[].do of the proxy', relays),
  ]
}

function section(title: string, actions: readonly Action[]): readonly string[] {
  return [`  ${title}`, ...actions.map(([name, what]) => `    ${name.padEnd(12)} ${what}`)]
}
