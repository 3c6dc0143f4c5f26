/** The keys that open the palette, as this machine's keyboard has them. Both work everywhere. */
export const paletteKeys: readonly string[] = /Mac|iP(?:hone|ad)/.test(navigator.userAgent)
  ? ['⌘', 'K']
  : ['Ctrl', 'K']
