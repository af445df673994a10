// TODO: import greeting
