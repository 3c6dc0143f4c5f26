/**
 * What is tried with each client in each of its formats on each kind of channel.
 *
 * - `task`: reads two files in one step and writes a third; every byte, every tool result and the usage must be right.
 * - `cut`: the connection to the upstream breaks in the middle of the first answer. The client does the task all the
 *   same or says that it failed; it never takes the half for the whole.
 * - `wrong key`: the client fails and shows the gateway's words.
 * - `abort`: the client is killed in the middle of the first answer, and the gateway hangs up on the upstream.
 */
export const scenarios = ['task', 'cut', 'wrong key', 'abort'] as const
export type Scenario = (typeof scenarios)[number]
