/** A value for each place where a secret stands, unlike any other text. */
export const canaries = {
  firstChannelKey: 'canary-alpha/1+x=7fK2mQ9zR4',
  secondChannelKey: 'canary-bravo/2+x=8gL3nR0aS5',
  otherFormatKey: 'canary-charlie/3+x=9hM4oS1bT6',
  channelHeader: 'canary-delta/4+x=0iN5pT2cU7',
  callerKey: 'canary-echo/5+x=1jO6qU3dV8',
  otherCallerKey: 'canary-foxtrot/6+x=2kP7rV4eW9',
  adminToken: 'canary-golf/7+x=3lQ8sW5fX0',
  gatewaySecret: 'canary-hotel/8+x=4mR9tX6gY1-0123456789abcdef',
} as const

export type Slot = keyof typeof canaries

/** The forms in which a value may turn up. They are written apart from the product's own list. */
function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret)
  return [
    secret,
    encodeURIComponent(secret),
    encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase()),
    secret.replaceAll('/', '\\/'),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    // Enough of it that nothing else looks like it.
    secret.slice(7, 22),
  ]
}

/** The secrets that a text shows, and in which form. */
export function findCanaries(text: string): readonly string[] {
  return Object.entries(canaries).flatMap(([slot, secret]) =>
    formsOf(secret).flatMap((form, index) => (text.includes(form) ? [`${slot} in form ${index}`] : [])),
  )
}
