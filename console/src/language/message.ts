/** A text with `{names}` in it; with two forms where a number decides between them. */
export type Message = string | { readonly one: string; readonly other: string }
