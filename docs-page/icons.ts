/** Lines in a square of 24. */
export const LOCK = 'M7 11V8a5 5 0 0 1 10 0v3M5 11h14v9H5zM12 15v2';
export const MOON = 'M12 3a9 9 0 1 0 9 9 7 7 0 0 1-9-9z';
