"""Question one: how will it do with many more classes?"""
