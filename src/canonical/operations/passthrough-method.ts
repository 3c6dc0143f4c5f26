/** The methods with which a path of a channel's provider can be called. */
export const passthroughMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export type PassthroughMethod = (typeof passthroughMethods)[number]
