/** A text with `{names}` in it. It has two forms if a number selects between them. */
export type Message = string | { readonly one: string; readonly other: string }
